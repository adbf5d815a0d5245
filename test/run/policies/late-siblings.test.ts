import { type CompileOptions, Graph, memoryStore, type NodeContext, stateKey } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { gate } from "../gate.js";
import { turns } from "./policy-app.js";

interface Sides {
  readonly fails: string;
  readonly slow: string;
}

const notes = stateKey("notes", (): { list: string[] } => ({ list: [] }));

const ways = [
  ["plain", {}, {}],
  ["saved at exits", { durability: "exit" }, { checkpointId: "id" }],
  ["saved at steps", { durability: "step" }, { checkpointId: "id" }],
] as const satisfies readonly (readonly [string, CompileOptions<"inner">, object])[];

describe.each(ways)("A node that ignores its stop, in a graph that is tried again, %s", (_way, compile, options) => {
  it.each([
    ["invoke", "anyPredecessor"],
    ["invoke", "allPredecessor"],
    ["stream", "anyPredecessor"],
    ["stream", "allPredecessor"],
  ] as const)("gives nothing to the next attempt (%s, %s)", async (mode, triggerMode) => {
    const [second, late] = [gate(), gate()];
    const refused: unknown[] = [];
    let attempts = 0;
    let visits = 0;
    const slow = async (text: string, ctx: NodeContext<{ list: string[] }>): Promise<string> => {
      const visit = ++visits;
      if (visit === 1) await late.promise;
      const used = ctx.processState(notes, ({ list }) => void list.push(`slow ${visit}`));
      await used.catch((error) => refused.push(error));
      await ctx.once("kept", () => visit).catch((error: unknown) => refused.push(error));
      return `${text}${visit}`;
    };
    const inner = new Graph<string, string>()
      .withState(notes)
      .addNode(
        "fails",
        async (text: string) => {
          if (++attempts === 1) throw new Error("not yet");
          late.open();
          await second.promise;
          return text;
        },
        { outputKey: "fails" },
      )
      .addNode("slow", slow, {
        outputKey: "slow",
        after: (output, state) => {
          state.list.push(`after ${output.slow}`);
          return output;
        },
      })
      .addNode("join", (sides: Sides, ctx) => `${sides.fails} ${sides.slow} ${ctx.state.list.join()}`)
      .addEdge("start", "fails")
      .addEdge("start", "slow")
      .addEdge("fails", "join")
      .addEdge("slow", "join")
      .addEdge("join", "end")
      .compile({ triggerMode });
    const handler = recordingHandler();
    const app = new Graph<string, string>()
      .addNode("inner", inner, { retry: { delayMs: 0 } })
      .addEdge("start", "inner")
      .addEdge("inner", "end")
      .compile({ store: memoryStore(), ...compile });
    const given = { ...options, callbacks: [handler] };
    const result = mode === "invoke" ? app.invoke("x", given) : app.stream("x", given).concat();
    await turns(10);
    second.open();
    expect(await result).toBe("x x2 slow 2,after x2");
    expect([attempts, visits]).toEqual([2, 2]);
    // the state, and what once keeps
    expect(refused).toMatchObject([{ name: "AbortError" }, { name: "AbortError" }]);
    expect(handler.unfinished()).toEqual([]);
  });
});
