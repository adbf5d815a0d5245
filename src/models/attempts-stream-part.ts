import type { ModelContext } from "../components/model.js";
import { LatePart } from "../schema/late-part.js";
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

/** That class. Bundles load its module with the first stream. */
export const attemptsStreamPart = new LatePart<AttemptsStreamClass>();
