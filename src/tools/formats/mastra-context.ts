import type { ToolContext } from "../../components/tool.js";
import { requestValues } from "../define/request-check.js";

/**
 * The context that the `execute` of a Mastra tool gets. If it has a call id and messages, Mastra takes the caller to be a model, and
 * moves these fields under `agent`.
 */
export function mastraContext(ctx: ToolContext): object {
  const { toolCallId, messages, abortSignal, suspend, resumeData, resume } = ctx;
  const suspendPayload = resume.wasInterrupted ? resume.state : undefined;
  const call = { toolCallId, messages, abortSignal, suspend, resumeData, suspendPayload };
  const requestContext = requestContextOf(ctx);
  return { ...call, requestContext, writer: writerOf(ctx), observe: observeOf(ctx), tracingContext: {} };
}

/** Tools write to it directly, or pipe a stream into it. */
function writerOf({ progress }: ToolContext): WritableStream {
  const write = async (chunk: unknown): Promise<void> => progress(chunk);
  return Object.assign(new WritableStream({ write }), { write, custom: write });
}

/** Handlers make the spans; they receive logs as progress. */
function observeOf({ progress }: ToolContext): object {
  return {
    span: async (_name: string, work: () => unknown) => work(),
    log: (level: string, message: string, data?: unknown) => progress({ type: "log", level, message, data }),
  };
}

/** A view of the request context in the form of Mastra's class. Changes are visible to the whole run. */
function requestContextOf(ctx: ToolContext): object {
  const { requestContext: values } = ctx;
  const get = (name: string): unknown => values.get(name);
  const set = (name: string, value: unknown): void => void values.set(name, value);
  const has = (name: string): boolean => values.has(name);
  const remove = (name: string): boolean => values.delete(name);
  const clear = (): void => [...values.keys()].forEach(remove);
  const forEach = (callback: (value: unknown, name: string) => void): void => {
    for (const [name, value] of values.entries()) callback(value, name);
  };
  return {
    ...{ get, set, has, delete: remove, clear, forEach },
    // Mastra's class has these names for access without the types of a schema
    ...{ getRaw: get, setRaw: set, hasRaw: has, deleteRaw: remove },
    keys: () => values.keys(),
    values: () => values.values(),
    entries: () => values.entries(),
    size: () => values.size,
    get all() {
      return requestValues(ctx.requestContext);
    },
    toJSON: () => requestValues(ctx.requestContext),
    [Symbol.iterator]: () => values.entries(),
  };
}
