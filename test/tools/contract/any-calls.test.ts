import fc from "fast-check";
import {
  type AgenticMessage,
  AgenticToolsNode,
  createTool,
  type Handler,
  memoryStore,
  type RunInfo,
  resultsOf,
  toolCallsOf,
} from "kumiko";
import { Chain, isInterrupt } from "kumiko/compose";
import { expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, joined, ticks } from "./asking.js";

const kinds = [
  ...["text", "json", "parts", "yields", "yields parts", "yields values", "yields nothing", "shown"],
  ...["fails", "fails late", "yields, then fails", "misfit", "unknown", "bad json", "asks", "bad output"],
] as const;

/** What one call does. `after`: how many turns of the loop it takes. */
interface Doing {
  readonly kind: (typeof kinds)[number];
  readonly after: number;
  readonly id: string;
}

const doing = fc.record<Doing>({
  kind: fc.constantFrom(...kinds),
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

const text = (text: string) => ({ type: "text" as const, text });
const image = { type: "image" as const, url: "https://x.test/a.png" };

/** `begun` and `done` hear of each call that begins, and that has come to its end. */
function toolsFor(begun: string[], done: string[] = []) {
  const tool = (id: Doing["kind"], execute: (after: number, callId: string) => unknown, more: object = {}) =>
    createTool({
      id,
      description: "",
      inputSchema,
      execute: async (input, { toolCallId }) => {
        begun.push(toolCallId);
        try {
          return await execute(input.after ?? 0, toolCallId);
        } finally {
          done.push(toolCallId);
        }
      },
      ...more,
    });
  return [
    tool("text", async (after, id) => ticks(after).then(() => `text of ${id}`)),
    tool("json", (_after, id) => ({ id, big: 2n ** 64n })),
    tool("parts", (_after, id) => [text(id), image, text("end")]),
    tool("shown", (_after, id) => ({ id }), { toModelOutput: async () => [text("shown"), image] }),
    tool("bad output", (_after, id) => ({ id }), { outputSchema: z.object({ id: z.number() }) }),
    tool("fails", fail),
    tool("fails late", async (after) => ticks(after).then(fail)),
    tool("asks", (_after, id) => `asked ${id}`, { requireApproval: true }),
    ...(["yields", "yields parts", "yields values", "yields nothing", "yields, then fails"] as const).map((id) =>
      createTool({
        id,
        description: "",
        inputSchema,
        execute: async function* (input, { toolCallId }) {
          begun.push(toolCallId);
          await ticks(input.after ?? 0);
          if (id === "yields nothing") {
            done.push(toolCallId);
            return;
          }
          yield id === "yields parts" ? [text("some "), text("parts")] : id === "yields values" ? 1n : "some ";
          await ticks(input.after ?? 0);
          yield id === "yields parts" ? [image] : id === "yields values" ? 2n : `of ${toolCallId}`;
          done.push(toolCallId);
          if (id === "yields, then fails") fail();
        },
        concat: id === "yields values" ? "list" : undefined,
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

/** Counts how often each run has ended. */
function endings() {
  const ends = new Map<string, number>();
  const log: string[] = [];
  const end =
    (what: string) =>
    (info: RunInfo): void => {
      ends.set(info.runId, (ends.get(info.runId) ?? 0) + 1);
      log.push(`${what} ${info.name} ${info.toolCallId}`);
    };
  const handler: Handler = {
    onStart: (info) => void ends.set(info.runId, 0),
    onEnd: end("end"),
    onError: end("error"),
    onInterrupt: end("interrupt"),
  };
  return { ends, handler, names: () => [...log].sort() };
}

/** Ends with the results, on whichever way. */
async function resultsOfRun(run: Promise<AgenticMessage[]>, message: AgenticMessage) {
  try {
    return { results: await run, error: undefined };
  } catch (error) {
    return { results: resultsOf(error, message), error };
  }
}

it("any calls, however they end: a result for each, in its place; the stream's chunks join to what invoke gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { minLength: 1, maxLength: 6 }), settings, async (calls, config) => {
      const message = messageOf(calls);
      const begun = { invoke: [] as string[], stream: [] as string[] };
      const node = (mode: "invoke" | "stream") => new AgenticToolsNode({ ...config, tools: toolsFor(begun[mode]) });
      const ids = toolCallsOf(node("invoke").normalize(message)).map(({ callId }) => callId);
      const heard = { invoke: endings(), stream: endings() };
      const invoked = await resultsOfRun(
        node("invoke").invoke(message, { callbacks: [heard.invoke.handler] }),
        message,
      );
      const streamed = await resultsOfRun(
        joined(node("stream").stream(message, { callbacks: [heard.stream.handler] })),
        message,
      );

      expect(new Set(ids).size).toBe(calls.length);
      for (const { results } of [invoked, streamed]) {
        expect(blocksOf(results).map(({ callId }) => callId)).toEqual(ids);
        expect(blocksOf(results).map(({ name }) => name)).toEqual(toolCallsOf(message).map(({ name }) => name));
      }
      expect(streamed.results).toEqual(invoked.results);
      expect(`${streamed.error}`).toBe(`${invoked.error}`);
      await ticks(1);
      for (const { ends } of Object.values(heard)) expect([...ends.values()].every((count) => count === 1)).toBe(true);
      expect(heard.stream.names()).toEqual(heard.invoke.names());
      expect([...begun.stream].sort()).toEqual([...begun.invoke].sort());
      // a call that has begun is never said not to have been executed, and the other way round
      const expected = blocksOf(invoked.results).flatMap(({ callId, errorKind }) =>
        ["not_executed", "validation", "parse", "unknown_tool"].includes(errorKind ?? "") ? [] : [callId],
      );
      expect([...begun.invoke].sort()).toEqual(expected.sort());
    }),
    { numRuns: 40 },
  );
});

it("any calls, stopped at any moment: a result for each that tells what has begun from what has not", async () => {
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
    { numRuns: 40 },
  );
});

it("any calls in a saved run: those that asked run once they are approved, and no other runs twice", async () => {
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
    { numRuns: 15 },
  );
});

it("14 15 any calls in a run that is stopped again and again: what had finished at a stop does not run once more", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(doing, { minLength: 1, maxLength: 6 }),
      settings,
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
      fc.constantFrom("exit" as const, "step" as const),
      async (calls, config, stops, durability) => {
        const message = messageOf(calls);
        const store = memoryStore();
        const begun: string[] = [];
        const done: string[] = [];
        const app = () =>
          new Chain<AgenticMessage>()
            .appendToolsNode(new AgenticToolsNode({ ...config, onToolError: "result", tools: toolsFor(begun, done) }))
            .compile({ store, durability });
        let answers: Record<string, { approved: true }> = {};
        const finished = new Set<string>();
        for (let turn = 0; ; turn += 1) {
          // what the run before has left behind has come to its end
          await ticks(5);
          const before = done.length;
          const controller = new AbortController();
          const { signal } = controller;
          const isSaved = (await store.get("1")) !== undefined;
          const run = resultsOfRun(
            isSaved ? app().resume("1", answers, { signal }) : app().invoke(message, { checkpointId: "1", signal }),
            message,
          );
          const stop = stops[turn];
          if (stop !== undefined) {
            await ticks(stop);
            controller.abort();
          }
          const beforeStop = done.slice(before);
          const { results, error } = await run;
          const inTime = stop === undefined ? done.slice(before) : beforeStop;
          const beforeNext = begun.length;
          answers = {};
          for (const callId of inTime) expect(finished.has(callId)).toBe(false);
          for (const callId of inTime) finished.add(callId);
          if (error === undefined) {
            expect(blocksOf(results).map(({ callId }) => callId)).toEqual(
              toolCallsOf(new AgenticToolsNode([]).normalize(message)).map(({ callId }) => callId),
            );
            expect(
              blocksOf(results).filter(({ errorKind }) => errorKind === "aborted" || errorKind === "not_executed"),
            ).toEqual([]);
            return;
          }
          if (isInterrupt(error))
            answers = Object.fromEntries(error.interrupts.map(({ id }) => [id, { approved: true }]));
          else expect(error).toBe(controller.signal.reason);
          await ticks(1);
          expect(begun.length).toBe(beforeNext);
        }
      },
    ),
    { numRuns: 15 },
  );
});

const asksNobody = createTool({
  id: "asks",
  description: "",
  inputSchema,
  execute: (_input, { toolCallId }) => `asked ${toolCallId}`,
});
