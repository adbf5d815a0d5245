import { OnDemand } from "../schema/on-demand.js";

/** Most agents answer with text. */
const part = new OnDemand(() => import("./structured-output.js"));

/** What agents with an output schema need; a promise until it is loaded. */
export function loadStructuredOutput(): NonNullable<typeof part.part> | Promise<NonNullable<typeof part.part>> {
  return part.part ?? part.load();
}
