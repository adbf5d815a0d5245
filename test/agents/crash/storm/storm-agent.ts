import { AsyncLocalStorage } from "node:async_hooks";
import { openSync, writeSync } from "node:fs";
import {
  type AgenticMessage,
  assistantMessage,
  type CheckpointStore,
  createTool,
  functionToolCall,
  type ModelContext,
} from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
import type { StormLine, StormSettings } from "./storm-log.js";
import { answerTo, hashOf, planIn, saidIn } from "./storm-turns.js";

/** The operation that is under way. */
export const operation = new AsyncLocalStorage<number>();

type Unplaced<Line> = Line extends unknown ? Omit<Line, "life" | "op"> : never;
export type Note = (line: Unplaced<StormLine>) => void;

/** Notes lines in the order in which things happen, in all processes. */
export function openNotes({ log, life }: StormSettings): Note {
  const file = openSync(log, "a");
  return (line) => {
    writeSync(file, `${JSON.stringify({ life, op: operation.getStore() ?? -1, ...line })}\n`);
  };
}

/** Waits, unless it is stopped. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Notes what becomes of the rows of threads. */
export function notedStore(store: CheckpointStore, note: Note): CheckpointStore {
  const noted = async <T>(key: string, data: Uint8Array | undefined, work: () => Promise<T>): Promise<T> => {
    if (!key.startsWith("~thread/")) return work();
    const isTurn = /\/\d{8}$/.test(key);
    const record = isTurn && data !== undefined ? JSON.parse(new TextDecoder().decode(data)) : {};
    const { messages = [], status, mark, pushed = [] } = record;
    const said = isTurn ? [...new Set(saidIn([...messages, ...pushed]))] : undefined;
    const prompt = (messages as AgenticMessage[]).map(planIn).find((plan) => plan !== undefined)?.n;
    const isRemoval = data === undefined;
    note({ k: isRemoval ? "remove" : "write", key, prompt, status });
    try {
      const result = await work();
      note({ k: isRemoval ? "removed" : "wrote", key, prompt, status, mark, said });
      return result;
    } catch (error) {
      note({ k: "refused", key });
      throw error;
    }
  };
  return {
    get: (id) => store.get(id),
    put: (id, data, ifVersion) => noted(id, data, () => store.put(id, data, ifVersion)),
    append: (id, data, ifVersion) =>
      noted(id, data, async () => (await store.append?.(id, data, ifVersion)) ?? Number.NaN),
    delete: (id, ifVersion) => noted(id, undefined, () => store.delete(id, ifVersion)),
    list: (prefix) => store.list(prefix),
    isOwnerAlive: async (owner) => (await store.isOwnerAlive?.(owner)) ?? true,
  };
}

/** An agent that does what its prompts say, and remembers nothing. */
export function stormAgent(store: CheckpointStore, note: Note) {
  let attempts = 0;
  const mark = `${process.pid}-${Math.random().toString(36).slice(2, 6)}`;
  const watcher = createMiddleware({
    name: "watcher",
    state: () => ({ attempt: "" }),
    beforeAgent({ state }) {
      attempts += 1;
      state.attempt = `${mark}-${attempts}`;
    },
    wrapModelCall(request, next, { state: { attempt }, steps }) {
      note({ k: "model", attempt, what: `step ${steps.length + 1}` });
      return next(request);
    },
    async wrapToolCall(call, next, { state: { attempt } }) {
      note({ k: "tool", attempt, what: call.callId });
      const output = await next(call);
      note({ k: "tooled", attempt, what: call.callId });
      return output;
    },
  });
  const tools = (["fast", "slow", "ask", "broken"] as const).map((id) =>
    createTool({
      id,
      description: `Is ${id}.`,
      ...(id === "ask" && { requireApproval: true }),
      execute: async (_input, { signal, toolCallId }) => {
        await pause(id === "slow" ? 60 : 1, signal);
        if (id === "broken") throw new Error("scripted failure");
        return `did ${toolCallId}`;
      },
    }),
  );
  return createAgent({ model: stormModel(note), tools, middleware: [watcher], store });
}

/** What comes next of what it is shown. */
function nextAnswer(messages: readonly AgenticMessage[]): {
  readonly message: AgenticMessage;
  readonly isSlow: boolean;
} {
  const at = messages.findLastIndex((message) => planIn(message) !== undefined);
  const prompt = messages[at];
  const plan = prompt && planIn(prompt);
  if (plan === undefined) return { message: assistantMessage("nothing was asked"), isSlow: false };
  const step = messages.slice(at + 1).filter(({ role }) => role === "assistant").length;
  const round = plan.rounds[step];
  const hash = hashOf(messages.slice(0, at));
  if (round === undefined) {
    if (plan.end === "fail") throw new Error("scripted failure");
    return { message: assistantMessage(answerTo(plan.n, hash)), isSlow: plan.end === "slow" };
  }
  const calls = round.map((name, index) =>
    functionToolCall({ callId: `${plan.n}.${hash}.${step}.${index}`, name, arguments: "{}" }),
  );
  return { message: assistantMessage(calls), isSlow: false };
}

function stormModel(note: Note) {
  return {
    component: "model" as const,
    async generate(messages: readonly AgenticMessage[], { signal }: ModelContext): Promise<AgenticMessage> {
      note({ k: "asked", said: saidIn(messages) });
      const { message, isSlow } = nextAnswer(messages);
      await pause(isSlow ? 150 : 1, signal);
      note({ k: "answered" });
      return message;
    },
    async *stream(messages: readonly AgenticMessage[], { signal }: ModelContext) {
      note({ k: "asked", said: saidIn(messages) });
      const { message, isSlow } = nextAnswer(messages);
      const [block] = message.contentBlocks;
      const words = block?.type === "assistant_gen_text" ? block.text.split(/(?<= )/) : [];
      if (words.length === 0) yield message;
      for (const word of words) {
        await pause(isSlow ? 20 : 0, signal);
        yield assistantMessage(word);
      }
      note({ k: "answered" });
    },
  };
}
