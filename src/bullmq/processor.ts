import { checkOptions } from "../check-options.js";
import type { DurableApp, SavedRun, SegmentOptions } from "../compose/segment.js";
import { type ErrorCode, KumikoError, messageOf } from "../errors.js";
import { isFields } from "../is.js";
import { loadPackage } from "../optional-package.js";
import { list } from "../wording.js";
import { type QueueJob, readJob } from "./run-job.js";

/** Options of {@link processor}. */
export interface ProcessorOptions<J extends QueueJob = QueueJob> {
  /** Options of the segment that a job runs, such as callbacks or a time limit. */
  readonly options?: ((job: J) => SegmentOptions<never>) | undefined;
}

/** What a job returns when it is done: the run itself stays in the store. */
export interface RunJobResult {
  /** The id of the run. */
  readonly id: string;
  /** Where it stands: `finished`, `waiting` for a person, or `cancelled`. */
  readonly status: SavedRun["status"];
}

/**
 * Makes the processor of a BullMQ `Worker`. The name of a job is the key of its app. A job runs its run up to the next question or
 * the end. A run that another process has, or that was cut off, is looked at again after a second, and one with a deadline when
 * that has passed. A run that failed fails its job, and the job's next attempt continues it.
 *
 * @example
 * const order = new Chain<string>().append((text) => text.trim()).compile({ store: memoryStore() });
 * const processRun = processor({ order });
 * // new Worker("runs", processRun, { connection });
 * // await new Queue("runs", { connection }).add("order", { input: " book " }, { jobId: "order-7" });
 */
export function processor<J extends QueueJob = QueueJob>(
  apps: Readonly<Record<string, DurableApp>>,
  settings: ProcessorOptions<J> = {},
): (job: J, token?: string, signal?: AbortSignal) => Promise<RunJobResult> {
  checkApps(apps);
  checkOptions("processor", settings, { options: [(value) => typeof value === "function", "a function"] });
  // BullMQ hands its signal to processors with three parameters only
  return async (job: J, token: string | undefined, signal: AbortSignal | undefined) => {
    const { DelayedError, UnrecoverableError } = await loadPackage("bullmq", "processor", () => import("bullmq"));
    let run: SavedRun;
    try {
      run = await runSegment(apps, job, settings.options?.(job), signal);
      if (run.status === "failed") throw run.error ?? new KumikoError("NODE_FAILED", `The run "${run.id}" has failed.`);
    } catch (error) {
      throw isHopeless(error) ? Object.assign(new UnrecoverableError(messageOf(error)), { cause: error }) : error;
    }
    const next = nextLook(run);
    if (next === undefined) return { id: run.id, status: run.status };
    await job.moveToDelayed(next, token);
    throw new DelayedError();
  };
}

function checkApps(apps: unknown): void {
  if (!isFields(apps))
    throw new KumikoError("INVALID_OPTION", "The apps of processor must be an object of apps by name.");
  for (const [name, app] of Object.entries(apps)) {
    if (typeof app === "object" && app !== null && "segment" in app && typeof app.segment === "function") continue;
    throw new KumikoError("INVALID_OPTION", `"${name}" of processor must be a compiled graph, an agent or a workflow.`);
  }
}

async function runSegment(
  apps: Readonly<Record<string, DurableApp>>,
  job: QueueJob,
  given: SegmentOptions<never> | undefined,
  jobSignal: AbortSignal | undefined,
): Promise<SavedRun> {
  const app = Object.hasOwn(apps, job.name) ? apps[job.name] : undefined;
  if (app === undefined) {
    const advice = "Add it to the worker of this queue, or take another queue for its jobs";
    throw new KumikoError(
      "INVALID_OPTION",
      `There is no app "${job.name}". ${advice}. Apps: ${list(Object.keys(apps))}.`,
    );
  }
  const { target, options } = readJob(job);
  const signals = [jobSignal, given?.signal].filter((signal) => signal !== undefined);
  return app.segment(target, {
    onBusy: "return",
    ...given,
    ...options,
    retry: job.attemptsMade > 0,
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
  });
}

/** What no further attempt can change. */
function isHopeless(error: unknown): boolean {
  if (!KumikoError.is(error)) return false;
  // a node may fail with any of these for a moment
  return error.nodePath.length === 0 && hopeless.includes(error.code);
}

const hopeless: readonly ErrorCode[] = [
  "VALIDATION",
  "TYPE_MISMATCH",
  "RUN_ABANDONED",
  "INVALID_OPTION",
  "INVALID_KEY",
  "INVALID_MESSAGE",
  "THREAD_OF_OTHER_USER",
  "NO_STORE",
  "UNKNOWN_CHECKPOINT",
  "ANSWER_MISMATCH",
  "AMBIGUOUS_INTERRUPT",
];

/** When a run is to be looked at again without a job of its own, in milliseconds since 1970. */
function nextLook({ status, interrupts }: SavedRun): number | undefined {
  if (status === "running" || status === "ready") return Date.now() + 1_000;
  if (status !== "waiting") return undefined;
  const deadlines = interrupts.flatMap(({ expiresAt }) => expiresAt ?? []);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}
