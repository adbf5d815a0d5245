import * as runner from "./run-hooks.js";
import type { OngoingTurn } from "./turn.js";

/** The hooks of the agent that is answering; `undefined` if it has none. */
export function turnHooks({ parts }: OngoingTurn): typeof runner | undefined {
  return parts.hasHooks ? runner : undefined;
}
