import { constant, END, firstOf, from, START, Workflow } from "kumiko";
import { describe, expect, it } from "vitest";

interface Found {
  readonly hits: readonly { readonly text: string; readonly url: string }[];
}

const search = ({ query, limit }: { query: string; limit: number }): Found => ({
  hits: Array.from({ length: limit }, (_, n) => ({ text: `${query} ${n}`, url: `/${n}` })),
});

/** The page of use of the guide. */
const answering = (limit: number) =>
  new Workflow<{ question: string }, { answer?: string | undefined; sources: string[] }>()
    .addNode("search", search, { input: { query: from(START, "question"), limit: constant(limit) } })
    .addBranch("search", ["long", "short"], (found) => (found.hits.length > 3 ? "long" : "short"))
    .addNode("long", ({ passages }: { passages: string[] }) => ({ text: passages.join("; ") }), {
      input: { passages: from("search", "hits.*.text") },
    })
    .addNode("short", (found: Found) => `${found.hits.length} hits`, { input: from("search") })
    .end({ answer: firstOf(from("long", "text"), from("short")), sources: from("search", "hits.*.url") })
    .compile();

describe("A workflow", () => {
  it("gives nodes the parts of outputs that they read", async () => {
    expect(await answering(4).invoke({ question: "wood" })).toEqual({
      answer: "wood 0; wood 1; wood 2; wood 3",
      sources: ["/0", "/1", "/2", "/3"],
    });
    expect(await answering(1).invoke({ question: "wood" })).toEqual({ answer: "1 hits", sources: ["/0"] });
  });

  it("gives the same as a stream", async () => {
    expect(await answering(4).stream({ question: "wood" }).concat()).toEqual({
      answer: "wood 0; wood 1; wood 2; wood 3",
      sources: ["/0", "/1", "/2", "/3"],
    });
    expect(await answering(1).stream({ question: "wood" }).concat()).toEqual({ answer: "1 hits", sources: ["/0"] });
  });

  it("runs nodes without an input, which get undefined", async () => {
    const given: unknown[] = [];
    const flow = new Workflow<string, { made: number }>()
      .addNode("make", (...all: [undefined]) => given.push(all[0]))
      .end({ made: from("make") });
    expect(await flow.compile().invoke("")).toEqual({ made: 1 });
    expect(given).toEqual([undefined]);
  });

  it("runs a node after others only if one of them has run", async () => {
    const ran: string[] = [];
    const flow = new Workflow<boolean, null>()
      .addBranch(START, ["a"], (isWanted) => (isWanted ? "a" : []))
      .addNode("a", () => ran.push("a"))
      .addNode("b", () => ran.push("b"), { runAfter: ["a"] })
      .addNode("c", () => ran.push("c"))
      .addNode("d", () => ran.push("d"), { runAfter: ["a", "c"] })
      .end(constant(null), { runAfter: ["b", "d"] })
      .compile();
    await flow.invoke(false);
    expect(ran).toEqual(["c", "d"]);
    ran.length = 0;
    await flow.stream(true).concat();
    expect(ran.sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("lets a stream branch choose before the end of the stream", async () => {
    const given: string[] = [];
    const app = new Workflow<string, { seen?: string[] | undefined; other?: string | undefined }>()
      .addNode(
        "say",
        async function* (text: string) {
          for (const word of text.split(" ")) {
            given.push(word);
            yield word;
          }
        },
        { input: from(START) },
      )
      .addStreamBranch("say", ["long", "short"], async (words) => {
        for await (const word of words) {
          given.push(`chosen by ${word.slice(0, 2)}`);
          return word.startsWith("so") ? "long" : "short";
        }
        return [];
      })
      .addNode("long", (text: string) => text.length, { input: from("say") })
      .addNode("short", () => "short")
      .end({ seen: from("long", (length: number) => [...given, String(length)]), other: from("short") })
      .compile();
    // a saved stream is read to its end first
    const { seen } = await app.stream("so long").concat();
    expect([seen?.includes("chosen by so"), seen?.at(-1)]).toEqual([true, "6"]);
    given.length = 0;
    expect((await app.invoke("so long")).seen?.at(-1)).toBe("6");
    expect(await app.stream("no").concat()).toEqual({ other: "short" });
    expect(await app.stream("").concat()).toEqual({ other: "short" });
  });

  it("awaits what extract makes", async () => {
    const flow = new Workflow<string, { size: number; text: string }>()
      .end({ size: from(START, async (text: string) => text.length), text: from(START) })
      .compile();
    expect(await flow.invoke("four")).toEqual({ size: 4, text: "four" });
    expect(await flow.stream("four").concat()).toEqual({ size: 4, text: "four" });
  });

  it("tells what its edges bring", () => {
    expect(answering(1).graphInfo().edges).toEqual([
      { from: "start", to: "search", kind: "data", label: "question → query" },
      { from: "search", to: "long", kind: "data", label: "hits.*.text → passages" },
      { from: "search", to: "short", kind: "data" },
      { from: "long", to: END, kind: "data", label: "text → answer" },
      { from: "short", to: END, kind: "data", label: "→ answer" },
      { from: "search", to: END, kind: "data", label: "hits.*.url → sources" },
      { from: "search", to: "long", kind: "branch" },
      { from: "search", to: "short", kind: "branch" },
    ]);
  });
});
