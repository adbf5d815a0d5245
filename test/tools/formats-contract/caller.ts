import {
  type AgenticMessage,
  type AgenticToolsNode,
  assistantMessage,
  type FunctionToolResult,
  functionToolCall,
  InterruptError,
  type JsonSchema,
  type RunOptions,
  toolResultsOf,
} from "kumiko";

/** A call as a model writes it: a string is sent as it is, anything else as JSON. */
export const call = (name: string, input: unknown = {}, callId = "call-1") =>
  functionToolCall({ callId, name, arguments: typeof input === "string" ? input : JSON.stringify(input) });

export const message = (...calls: readonly ReturnType<typeof functionToolCall>[]): AgenticMessage =>
  assistantMessage([...calls]);

/** The only result of one call. */
export async function resultOf(
  node: AgenticToolsNode,
  name: string,
  input: unknown = {},
  options?: RunOptions,
): Promise<FunctionToolResult> {
  const [result] = (await node.invoke(message(call(name, input)), options)).flatMap(toolResultsOf);
  if (!result) throw new Error("the node gave no result");
  return result;
}

/** What a promise rejects with; an error when it does not. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not reject");
}

/** What a function throws; an error when it does not. */
export function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("it did not throw");
}

/** The questions with which a run stopped. */
export async function questionsOf(promise: PromiseLike<unknown>): Promise<InterruptError["interrupts"]> {
  const error = await rejection(promise);
  if (!(error instanceof InterruptError)) throw error;
  return error.interrupts;
}

/** The JSON Schema that a model gets for a tool. */
export function parametersOf(node: AgenticToolsNode, name: string): JsonSchema | undefined {
  const info = node.infos.find((candidate) => candidate.name === name);
  if (!info) throw new Error(`the node has no tool ${name}`);
  return info.toJsonSchema();
}

/** Resolves when a signal fires. */
export const aborted = (signal: AbortSignal | undefined): Promise<unknown> =>
  new Promise((resolve) => {
    if (!signal) throw new Error("there is no signal");
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
