/**
 * Runs as jobs of BullMQ: `processor(apps)` is the processor of a `Worker`. Needs the package `bullmq`.
 *
 * @packageDocumentation
 */

export { type ProcessorOptions, processor, type RunJobResult } from "./processor.js";
export type { QueueJob, RunJob } from "./run-job.js";
