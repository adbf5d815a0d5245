import { brokenRunScenarios } from "./broken-runs.js";
import { runScenarios } from "./runs.js";
import type { Scenarios } from "./scenario.js";
import { streamScenarios } from "./streams.js";
import { tapeScenarios } from "./tapes.js";
import { toolScenarios } from "./tools.js";

export const scenarios: Scenarios = {
  ...runScenarios,
  ...toolScenarios,
  ...streamScenarios,
  ...brokenRunScenarios,
  ...tapeScenarios,
};
