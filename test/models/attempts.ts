import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  KumikoError,
  type RunOptions,
  runnable,
  userMessage,
} from "kumiko";

export const question = [userMessage("Hi")];

/** An error of HTTP, as provider packages throw it. */
export const httpError = (statusCode: number, more: object = {}): Error =>
  Object.assign(new Error(`status ${statusCode}`), { statusCode, isRetryable: statusCode >= 429, ...more });

export const piece = (text: string): AgenticMessage =>
  assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }]);

/** An answer that begins, and then fails. */
export async function* breaking(...given: (string | Error)[]): AsyncGenerator<AgenticMessage, void> {
  for (const one of given) {
    if (one instanceof Error) throw one;
    yield piece(one);
  }
}

export async function chunksOf(model: AgenticModel, options?: RunOptions): Promise<AgenticMessage[]> {
  const chunks: AgenticMessage[] = [];
  for await (const chunk of runnable(model).stream(question, options)) chunks.push(chunk);
  return chunks;
}

/** What it fails with, without the node around it. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => new Error("did not fail"),
    (thrown: unknown) => thrown,
  );
  return KumikoError.is(error) && error.code === "NODE_FAILED" ? error.cause : error;
}
