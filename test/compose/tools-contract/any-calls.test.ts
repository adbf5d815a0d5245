import fc from "fast-check";
import { type AgenticMessage, AgenticToolsNode, createTool, memoryStore, resultsOf, toolCallsOf } from "kumiko";
import { Chain, isInterrupt } from "kumiko/compose";
import { expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, joined, ticks } from "./asking.js";

/** What one call does. `after`: how many turns of the loop it takes. */
interface Doing {
  readonly kind:
    | "text"
    | "json"
    | "yields"
    | "fails"
    | "fails late"
    | "yields, then fails"
    | "misfit"
    | "unknown"
    | "bad json"
    | "asks";
  readonly after: number;
  readonly id: string;
}

const doing = fc.record<Doing>({
  kind: fc.constantFrom(
    "text",
    "json",
    "yields",
    "fails",
    "fails late",
    "yields, then fails",
    "misfit",
    "unknown",
    "bad json",
    "asks",
  ),
  after: fc.integer({ min: 0, max: 2 }),
  id: fc.constantFrom("", "a", "b", "c", "a_2"),
});

const settings = fc.record({
  executeSequentially: fc.boolean(),
  maxConcurrency: fc.constantFrom(undefined, 1, 2),
  onToolError: fc.constantFrom("throw" as const, "result" as const),
  maxResultLength: fc.constantFrom(undefined, 30),
});

const inputSchema = z.object({ after: z.number().optional() });
const fail = (): never => {
  throw new Error("failed");
};

function toolsFor(begun: string[]) {
  const tool = (id: Doing["kind"], execute: (after: number, callId: string) => unknown, more: object = {}) =>
    createTool({
      id,
      description: "",
      inputSchema,
      execute: (input, { toolCallId }) => {
        begun.push(toolCallId);
        return execute(input.after ?? 0, toolCallId);
      },
      ...more,
    });
  return [
    tool("text", async (after, id) => ticks(after).then(() => `text of ${id}`)),
    tool("json", (_after, id) => ({ id })),
    tool("fails", fail),
    tool("fails late", async (after) => ticks(after).then(fail)),
    tool("asks", (_after, id) => `asked ${id}`, { requireApproval: true }),
    ...(["yields", "yields, then fails"] as const).map((id) =>
      createTool({
        id,
        description: "",
        inputSchema,
        execute: async function* (input, { toolCallId }) {
          begun.push(toolCallId);
          yield "some ";
          await ticks(input.after ?? 0);
          yield `of ${toolCallId}`;
          if (id !== "yields") fail();
        },
      }),
    ),
  ];
}

function messageOf(calls: readonly Doing[]): AgenticMessage {
  return asking(
    ...calls.map(({ kind, after, id }) => {
      if (kind === "misfit") return ["text", { after: "soon" }, id] as const;
      if (kind === "bad json") return ["text", "{", id] as const;
      return [kind === "unknown" ? "nobody" : kind, { after }, id] as const;
    }),
  );
}

/** Ends with the results, on whichever way. */
async function resultsOfRun(run: Promise<AgenticMessage[]>, message: AgenticMessage) {
  try {
    return { results: await run, error: undefined };
  } catch (error) {
    return { results: resultsOf(error, message), error };
  }
}

it("E3 E4 5 16 any calls, however they end: a result for each, in its place; the stream's chunks join to what invoke gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { minLength: 1, maxLength: 6 }), settings, async (calls, config) => {
      const message = messageOf(calls);
      const begun = { invoke: [] as string[], stream: [] as string[] };
      const node = (mode: "invoke" | "stream") => new AgenticToolsNode({ ...config, tools: toolsFor(begun[mode]) });
      const ids = toolCallsOf(node("invoke").normalize(message)).map(({ callId }) => callId);
      const invoked = await resultsOfRun(node("invoke").invoke(message), message);
      const streamed = await resultsOfRun(joined(node("stream").stream(message)), message);

      expect(new Set(ids).size).toBe(calls.length);
      for (const { results } of [invoked, streamed]) {
        expect(blocksOf(results).map(({ callId }) => callId)).toEqual(ids);
        expect(blocksOf(results).map(({ name }) => name)).toEqual(toolCallsOf(message).map(({ name }) => name));
      }
      expect(streamed.results).toEqual(invoked.results);
      expect(`${streamed.error}`).toBe(`${invoked.error}`);
      expect([...begun.stream].sort()).toEqual([...begun.invoke].sort());
      // a call that has begun is never said not to have been executed, and the other way round
      const expected = blocksOf(invoked.results).flatMap(({ callId, errorKind }) =>
        ["not_executed", "validation", "parse", "unknown_tool"].includes(errorKind ?? "") ? [] : [callId],
      );
      expect([...begun.invoke].sort()).toEqual(expected.sort());
    }),
    { numRuns: 60 },
  );
});

it("A6 5 any calls, stopped at any moment: a result for each that tells what has begun from what has not", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(doing, { minLength: 1, maxLength: 6 }),
      settings,
      fc.integer({ min: 0, max: 4 }),
      fc.boolean(),
      async (calls, config, moment, streams) => {
        const message = messageOf(calls);
        const begun: string[] = [];
        const node = new AgenticToolsNode({ ...config, tools: toolsFor(begun) });
        const controller = new AbortController();
        const options = { signal: controller.signal };
        const run = resultsOfRun(
          streams ? joined(node.stream(message, options)) : node.invoke(message, options),
          message,
        );
        for (let turn = 0; turn < moment; turn += 1) await (turn % 2 === 0 ? Promise.resolve() : ticks(1));
        controller.abort();
        const before = [...begun];
        const { results, error } = await run;
        expect(blocksOf(results).map(({ callId }) => callId)).toEqual(
          toolCallsOf(node.normalize(message)).map(({ callId }) => callId),
        );
        if (error !== controller.signal.reason) return;
        await ticks(3);
        expect(begun).toEqual(before);
        for (const { callId, errorKind } of blocksOf(results)) {
          if (begun.includes(callId)) expect(errorKind).not.toBe("not_executed");
          else expect(errorKind).toBeDefined();
        }
      },
    ),
    { numRuns: 60 },
  );
});

it("14 any calls in a saved run: those that asked run once they are approved, and no other runs twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(doing, { minLength: 1, maxLength: 6 }),
      settings,
      fc.boolean(),
      async (calls, config, streams) => {
        const message = messageOf(calls);
        const store = memoryStore();
        const begun: string[] = [];
        const app = () =>
          new Chain<AgenticMessage>()
            .appendToolsNode(new AgenticToolsNode({ ...config, onToolError: "result", tools: toolsFor(begun) }))
            .compile({ store });
        let run = streams
          ? joined(app().stream(message, { checkpointId: "1" }))
          : app().invoke(message, { checkpointId: "1" });
        for (;;) {
          const { results, error } = await resultsOfRun(run, message);
          if (error === undefined) {
            expect(new Set(begun).size).toBe(begun.length);
            const plain = await new AgenticToolsNode({
              ...config,
              onToolError: "result",
              tools: toolsFor([]).map((tool) => (tool.info.name === "asks" ? asksNobody : tool)),
            }).invoke(message);
            expect(results).toEqual(plain);
            return;
          }
          if (!isInterrupt(error)) throw error;
          const answers = Object.fromEntries(error.interrupts.map(({ id }) => [id, { approved: true }]));
          run = streams ? joined(app().resumeStream("1", answers)) : app().resume("1", answers);
        }
      },
    ),
    { numRuns: 30 },
  );
});

const asksNobody = createTool({
  id: "asks",
  description: "",
  inputSchema,
  execute: (_input, { toolCallId }) => `asked ${toolCallId}`,
});
