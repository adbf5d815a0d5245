import { END, Graph, memoryStore, START } from "kumiko";
import { expect, it } from "vitest";

const page = "x".repeat(1_000);

it.each(["anyPredecessor", "allPredecessor"] as const)(
  "A save under step holds what may still be read, and not all that was done (%s)",
  async (triggerMode) => {
    const store = memoryStore();
    const sizes: number[] = [];
    const graph = new Graph<string, string>().addNode("n0", (text: string) => text).addEdge(START, "n0");
    for (let n = 1; n < 300; n++) {
      graph.addNode(`n${n}`, async (text: string) => text).addEdge(`n${n - 1}` as "n0", `n${n}` as "n0");
    }
    const app = graph.addEdge("n299" as "n0", END).compile({
      triggerMode,
      durability: "step",
      store: {
        ...store,
        get: (id) => store.get(id),
        list: (prefix) => store.list(prefix),
        delete: (id, version) => store.delete(id, version),
        put: (id, data, version) => {
          sizes.push(data.length);
          return store.put(id, data, version);
        },
      },
    });
    expect(await app.invoke(page, { checkpointId: "line" })).toBe(page);
    expect(sizes.length).toBeGreaterThan(300);
    expect(Math.max(...sizes)).toBeLessThan(5_000);
  },
);

it("A graph without steps goes on behind what it has done, whatever of it is no longer in the document", async () => {
  const store = memoryStore();
  const ran: string[] = [];
  const note = (name: string) => (text: string) => {
    ran.push(name);
    return `${text}${name}`;
  };
  const build = (isOpen: boolean) =>
    new Graph<string, string>()
      .addNode("a", note("a"))
      .addNode("b", note("b"))
      .addNode("c", note("c"))
      .addNode("skipped", note("s"))
      .addNode("last", (text: string) => {
        ran.push("last");
        if (!isOpen) throw new Error("closed");
        return text;
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addBranch("b", ["c", "skipped"], () => "c" as const)
      .addEdge("skipped", "last")
      .addEdge("c", "last")
      .addEdge("last", END)
      .compile({ triggerMode: "allPredecessor", durability: "step", store });
  await expect(build(false).invoke("", { checkpointId: "x" })).rejects.toThrow("closed");
  expect(ran).toEqual(["a", "b", "c", "last"]);
  const stored = await store.get("x");
  expect(new TextDecoder().decode(stored?.data)).not.toContain('"node":"a"');
  expect(await build(true).resume("x")).toBe("abc");
  expect(ran).toEqual(["a", "b", "c", "last", "last"]);
});
