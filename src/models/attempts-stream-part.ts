import type { ModelContext } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ChunkSource } from "../schema/stream/source.js";
import type { CallOfAttempts, Messages, ModelAttempts } from "./model-attempts.js";

/** The class that streams the first attempt that succeeds. */
export type AttemptsStreamClass = new (
  attempts: ModelAttempts,
  messages: Messages,
  ctx: ModelContext,
  call: CallOfAttempts | undefined,
) => ChunkSource<AgenticMessage>;

const registered: { stream?: AttemptsStreamClass } = {};

/** Called by the module of the class: in Node.js the entries import it, and bundles load it with the first stream. */
export function registerAttemptsStream(stream: AttemptsStreamClass): void {
  registered.stream = stream;
}

/** `undefined` until the module is loaded. */
export function findAttemptsStream(): AttemptsStreamClass | undefined {
  return registered.stream;
}
