import { OnDemand } from "../../schema/on-demand.js";
import { runNested } from "./nested.js";
import type { ProgramParts } from "./program.js";

/** What programs run with; most of them never load what is on demand here. */
export const parts: ProgramParts = {
  runNested,
  dag: new OnDemand(async () => (await import("./dag.js")).runDag),
};
