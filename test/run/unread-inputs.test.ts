import { Chain, InterruptError, lambda, memoryStore, type NodeContext } from "kumiko";
import { expect, it } from "vitest";

/** A web stream that notes whether it was read or cancelled. */
function tracked(events: string[]): ReadableStream<string> {
  return new ReadableStream<string>(
    {
      pull: (controller) => {
        events.push("read");
        controller.enqueue("a");
        controller.close();
      },
      cancel: () => void events.push("cancelled"),
    },
    { highWaterMark: 0 },
  );
}

const graph = new Chain<string>().append((text: string) => text, { key: "x" }).compile({ name: "inner" });
const lone = lambda({ invoke: (text: string) => text });

it.each([
  ["collect", graph],
  ["transform", graph],
  ["collect", lone],
  ["transform", lone],
] as const)("cancels the input of a child run whose result is known after a resume (%s)", async (mode, child) => {
  const events: string[][] = [];
  const node = async (_text: string, ctx: NodeContext): Promise<string> => {
    const own: string[] = [];
    events.push(own);
    const options = { parent: ctx, key: "child" };
    const text =
      mode === "collect"
        ? await child.collect(tracked(own), options)
        : await child.transform(tracked(own), options).concat();
    return `${text} ${await ctx.ask("more", "?")}`;
  };
  const app = new Chain<string>().append(node, { key: "node" }).compile({ store: memoryStore() });
  const error: unknown = await app.invoke("", { checkpointId: "id" }).catch((thrown: unknown) => thrown);
  const id = InterruptError.is(error) ? (error.interrupts[0]?.id ?? "") : "";
  expect(await app.resume("id", { [id]: "b" })).toBe("a b");
  expect(events).toEqual([["read"], ["cancelled"]]);
});

it.each(["collect", "transform"] as const)("cancels the input of a run that cannot be saved (%s)", async (mode) => {
  for (const runnable of [graph, lone]) {
    const events: string[] = [];
    const options = { checkpointId: "id" };
    const running =
      mode === "collect"
        ? runnable.collect(tracked(events), options)
        : runnable.transform(tracked(events), options).concat();
    await expect(running).rejects.toMatchObject({ code: "NO_STORE" });
    expect(events).toEqual(["cancelled"]);
  }
});
