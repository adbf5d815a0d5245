/** Saved runs that outlive their process: lists, answers and questions for operators, and workers that continue them. @packageDocumentation */

export {
  type EnqueueInput,
  type EnqueueName,
  type RunQuestion,
  type Runs,
  type RunsOptions,
  runs,
} from "./runs.js";
export { type RunningWorker, startWorker } from "./start-worker.js";
export type { SweepOptions } from "./sweep-runs.js";
export type { WorkerOptions } from "./worker-options.js";
