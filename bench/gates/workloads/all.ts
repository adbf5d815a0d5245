import { agentWorkloads } from "./agents.js";
import { checkpointWorkloads } from "./checkpoints.js";
import { graphWorkloads } from "./graphs.js";
import { streamWorkloads } from "./streams.js";
import { toolWorkloads } from "./tools.js";
import type { Workloads } from "./workload.js";

/** Everything whose price per run is watched, by its name in budgets.json. */
export const runWorkloads: Workloads = {
  ...graphWorkloads,
  ...toolWorkloads,
  ...agentWorkloads,
  ...streamWorkloads,
  ...checkpointWorkloads,
};
