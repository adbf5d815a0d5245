import { OnDemand } from "../on-demand.js";

/** `map`, `filter`, `copy`, `merge` and `concat`: a program whose graphs move values only never needs them. */
export const streamOperators = new OnDemand(async () => (await import("./operators.js")).operators);
