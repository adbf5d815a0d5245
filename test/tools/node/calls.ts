import {
  type AgenticMessage,
  assistantMessage,
  createTool,
  type FunctionToolCall,
  type FunctionToolResult,
  functionToolCall,
  ToolError,
  toolResultsOf,
} from "kumiko";

export function call(name: string, args: unknown = {}, callId = name): FunctionToolCall {
  return functionToolCall({ callId, name, arguments: typeof args === "string" ? args : JSON.stringify(args) });
}

export function calls(...blocks: FunctionToolCall[]): AgenticMessage {
  return assistantMessage(blocks);
}

export function blocksOf(messages: readonly AgenticMessage[]): FunctionToolResult[] {
  return messages.flatMap(toolResultsOf);
}

export function textsOf(messages: readonly AgenticMessage[]): string[] {
  return blocksOf(messages).map(({ result }) => result);
}

export function kindsOf(messages: readonly AgenticMessage[]): (string | undefined)[] {
  return blocksOf(messages).map(({ errorKind }) => errorKind);
}

/** What a promise rejects with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("The promise did not reject.");
}

export async function toolError(promise: PromiseLike<unknown>): Promise<ToolError> {
  const error = await rejection(promise);
  if (ToolError.is(error)) return error;
  throw error;
}

/** A tool without a schema. */
export function tool(id: string, execute: (input: Record<string, unknown>) => unknown) {
  return createTool({ id, description: `Does ${id}.`, execute });
}

/** A promise to settle by hand. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Lets everything that is only waiting for promises go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await undefined;
}
