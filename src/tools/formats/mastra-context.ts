import type { ToolContext } from "../../components/tool.js";
import { requestValues } from "../define/request-check.js";

/**
 * What the `execute` of a Mastra tool gets. With a call id and messages, Mastra knows that a model calls, and moves what
 * belongs there under `agent`.
 */
export function mastraContext(ctx: ToolContext): object {
  const { toolCallId, messages, abortSignal, suspend, resumeData, resume } = ctx;
  const suspendPayload = resume.wasInterrupted ? resume.state : undefined;
  const call = { toolCallId, messages, abortSignal, suspend, resumeData, suspendPayload };
  const requestContext = requestContextOf(ctx);
  return { ...call, requestContext, writer: writerOf(ctx), observe: observeOf(ctx), tracingContext: {} };
}

/** It is written to directly, or something is piped into it. */
function writerOf({ progress }: ToolContext): WritableStream {
  const write = async (chunk: unknown): Promise<void> => progress(chunk);
  return Object.assign(new WritableStream({ write }), { write, custom: write });
}

/** Spans are those of the handlers; what is logged they hear as progress. */
function observeOf({ progress }: ToolContext): object {
  return {
    span: async (_name: string, work: () => unknown) => work(),
    log: (level: string, message: string, data?: unknown) => progress({ type: "log", level, message, data }),
  };
}

/** Mastra reads all values at once too. Changes reach the request. */
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
    // as the class of Mastra calls them where it goes around the types of a schema
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
