import { checkOptions, type OptionCheck } from "../check-options.js";
import type { DurableApp } from "../compose/segment.js";
import { Worker } from "./worker.js";
import { partsOf } from "./worker-app.js";
import type { WorkerOptions } from "./worker-options.js";

/** A worker that {@link startWorker} has started. */
export interface RunningWorker {
  /**
   * Takes no more runs, and interrupts those it works on: nodes may end within `timeoutMs`, by default 10 seconds, then they are
   * aborted. Resolves when all of them are saved for other workers.
   */
  stop(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** Resolves when there is nothing to do: no run is being worked on, and none can be taken. */
  idle(): Promise<void>;
}

/**
 * Works on runs of these apps, as do all other workers of the same store: those that are ready, whose deadlines have passed, or
 * whose process has died. Each app is named like its key, and all have one store. It never ends by itself.
 *
 * @example
 * const store = sqliteStore("runs.db");
 * const order = new Chain<string>().append((text) => `${text}, sent`).compile({ name: "order", store });
 * const worker = startWorker({ order }, { concurrency: 20 });
 * process.once("SIGTERM", () => worker.stop());
 */
export function startWorker(apps: Readonly<Record<string, DurableApp>>, options: WorkerOptions = {}): RunningWorker {
  const parts = partsOf(apps);
  checkOptions("startWorker", options, spec);
  const worker = new Worker(parts, options);
  worker.start();
  return { stop: (stopOptions) => worker.stop(stopOptions), idle: () => worker.idle() };
}

const isFunction: OptionCheck = [(value) => typeof value === "function", "a function"];

const spec = {
  concurrency: [(value) => Number.isSafeInteger(value) && Number(value) > 0, "a positive integer"],
  prefix: [(value) => typeof value === "string", "a string"],
  pollMs: [
    (value) => typeof value === "number" && value > 0 && value <= 2_147_483_647,
    "a positive number of milliseconds",
  ],
  options: isFunction,
  onError: isFunction,
} satisfies Record<keyof WorkerOptions, OptionCheck>;
