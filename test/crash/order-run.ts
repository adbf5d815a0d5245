import { join } from "node:path";
import { answers } from "./expected-order.js";
import type { Receipt } from "./order-graph.js";
import { type Outcome, type StoreSettings, WorkerProcess, type WorkerSettings } from "./worker-process.js";

/** Where runs of the order graph can be had. */
export interface Workshop {
  readonly folder: string;
  readonly script: string;
  readonly store: StoreSettings;
}

/** One run, and the processes that are at it one after another or at the same time. */
export class OrderRun {
  readonly log: string;
  readonly #workshop: Workshop;
  readonly #id: string;
  #lives = 0;

  constructor(workshop: Workshop, id: string) {
    this.log = join(workshop.folder, `${id}.log`);
    this.#workshop = workshop;
    this.#id = id;
  }

  /** The next process. */
  start(command: "invoke" | "resume", more: Partial<WorkerSettings> = {}): WorkerProcess {
    this.#lives += 1;
    const { script, store } = this.#workshop;
    const settings = { store, log: this.log, id: this.#id, life: this.#lives, command, seed: this.#lives };
    return new WorkerProcess(script, { ...settings, ...more });
  }

  /** A process that waits for its "go". */
  async ready(more: Partial<WorkerSettings>): Promise<WorkerProcess> {
    const worker = this.start("resume", { ...more, isAsked: true });
    await worker.said("ready");
    return worker;
  }

  /** Answers, as often as somebody asks. */
  async finish(last: Outcome | undefined): Promise<Receipt> {
    if (last?.outcome === "done") return last.receipt;
    if (last?.outcome !== "waits") throw new Error(`The run ended with ${JSON.stringify(last)}`);
    return this.finish(await this.start("resume", { answers: answersTo(last) }).end);
  }
}

/** Answers to all that a run waits for. */
export function answersTo(outcome: Outcome | undefined): Record<string, unknown> {
  const questions = outcome?.outcome === "waits" ? outcome.questions : [];
  return Object.fromEntries(questions.map(({ id, info }) => [id, answers[Reflect.get(Object(info), "kind")]]));
}
