import { type CheckpointStore, KumikoError } from "kumiko";
import { threads } from "kumiko/agents";
import { type Runs, runs } from "kumiko/durable";
import { outputs } from "./apps.js";
import type { Delivery } from "./delivery.js";
import type { TurnRequest } from "./worker.js";

/** How many runs of each app, and how many threads, are under way at a time. */
const width = 3;
/** After so many turns a thread is left. */
const turnsPerThread = 3;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface OpenTurn {
  readonly request: TurnRequest;
  readonly number: number;
}

/** Starts runs and turns, so that there is always work, answers them, and looks how they end. It has no apps. */
export class Feed {
  readonly #store: CheckpointStore;
  readonly #inbox: Runs;
  readonly #delivery: Delivery;
  readonly #open = new Map<string, keyof typeof outputs>();
  readonly #turns = new Map<string, OpenTurn>();
  /** What has ended otherwise than it should. */
  readonly wrong: string[] = [];
  /** Runs that were given up because of `maxAttempts`, and were tried again. */
  abandoned = 0;
  ended = 0;
  #started = 0;

  constructor(store: CheckpointStore, delivery: Delivery) {
    this.#store = store;
    this.#inbox = runs(store);
    this.#delivery = delivery;
  }

  get openTurns(): readonly TurnRequest[] {
    return [...this.#turns.values()].map(({ request }) => request);
  }

  /** What has not ended. */
  get open(): readonly string[] {
    return [...this.#open.keys(), ...this.#turns.keys()];
  }

  /** What has not ended, and how it stands. */
  async stuck(): Promise<readonly string[]> {
    if (this.open.length === 0) return [];
    const rows = await listed(this.#inbox.list({ status: ["ready", "running", "waiting", "stopped"] }));
    return [...this.open, ...rows.map((row) => JSON.stringify(row))];
  }

  async topUp(): Promise<void> {
    for (const app of Object.keys(outputs) as (keyof typeof outputs)[]) {
      const open = [...this.#open.values()].filter((one) => one === app).length;
      for (let n = open; n < width; n++) {
        const id = `${app}-${this.#started++}`;
        this.#open.set(id, app);
        await patiently(() => this.#delivery.run(app, id));
      }
    }
    for (let n = this.#turns.size; n < width; n++) await this.#post(`thread-${this.#started++}`, 1);
  }

  async #post(threadId: string, number: number): Promise<void> {
    const request = { threadId, requestId: `${number}`, input: `${threadId}/${number}` };
    this.#turns.set(threadId, { request, number });
    await patiently(() => this.#delivery.turn(request));
  }

  async answer(): Promise<void> {
    for (const row of await listed(this.#inbox.list({ status: "waiting" }))) {
      const run = await patiently(() => this.#inbox.get(row.id));
      for (const { id, info } of run?.interrupts ?? []) {
        if (info === "nobody answers") continue;
        await this.#answerOne(row.id, id, row.graph);
        await this.#goOn(row.graph, row.id, row.threadId);
      }
    }
  }

  async #answerOne(runId: string, id: string, graph: string): Promise<void> {
    const answer = graph === "clerk" ? { approved: true } : "yes";
    for (let isUnsure = false; ; isUnsure = true) {
      try {
        await this.#inbox.answer(runId, { [id]: answer });
        return;
      } catch (error) {
        const code = KumikoError.is(error) ? error.code : undefined;
        if (code !== "STORE_FAILED") {
          // another worker has it: it goes on with what had arrived, or asks again where the record of a turn was not closed
          const isElsewhere = code === "CHECKPOINT_IN_USE" || (isUnsure && code === "UNKNOWN_CHECKPOINT");
          if (!isElsewhere) this.wrong.push(`answering ${runId}: ${String(error)}`);
          return;
        }
      }
      await pause(100);
    }
  }

  async #goOn(app: string, id: string, threadId: string | undefined): Promise<void> {
    const turn = threadId === undefined ? undefined : this.#turns.get(threadId);
    await patiently(() => (turn === undefined ? this.#delivery.goOn(app, id) : this.#delivery.turn(turn.request)));
  }

  /** @param endsThreads whether no thread gets another turn */
  async look(endsThreads: boolean): Promise<void> {
    for (const [id, app] of [...this.#open]) await this.#lookAt(id, app);
    for (const [threadId, turn] of [...this.#turns]) await this.#lookAtThread(threadId, turn, endsThreads);
  }

  async #lookAt(id: string, app: keyof typeof outputs): Promise<void> {
    const run = await patiently(() => this.#inbox.get(id));
    if (run?.status === "failed" && run.error?.code === "RUN_ABANDONED") {
      this.abandoned += 1;
      await patiently(() => this.#inbox.retry(id));
      await this.#goOn(app, id, undefined);
    } else if (run?.status === "finished" || run?.status === "failed" || run?.status === "cancelled") {
      this.#open.delete(id);
      this.ended += 1;
      if (run.status !== "finished") this.wrong.push(`${id} is ${run.status}: ${String(run.error)}`);
      else if (run.output !== outputs[app]) this.wrong.push(`${id} ends with ${String(run.output)}`);
    }
  }

  async #lookAtThread(threadId: string, { request, number }: OpenTurn, isLast: boolean): Promise<void> {
    const turns = await listed(threads(this.#store).turns(threadId));
    const states = turns.map((turn) => `${turn.number} ${turn.status}`).sort();
    const newest = turns.find((turn) => turn.number === number);
    if (turns.length > number) this.wrong.push(`${threadId}: ${states.join(", ")}`);
    if (newest?.status === "failed") {
      const rows = await listed(this.#inbox.list({ prefix: threadId }));
      const row = rows.find((one) => one.threadId === threadId);
      const run = row && (await patiently(() => this.#inbox.get(row.id)));
      if (run?.error?.code !== "RUN_ABANDONED")
        this.#leave(threadId, `${states.join(", ")}: ${JSON.stringify(row)} ${run?.status} ${String(run?.error)}`);
      else {
        this.abandoned += 1;
        await patiently(() => this.#inbox.retry(run.id));
        await patiently(() => this.#delivery.turn(request));
      }
    } else if (newest?.status === "aborted") this.#leave(threadId, states.join(", "));
    else if (newest?.status === "done") {
      this.#leave(threadId, undefined);
      if (!isLast && number < turnsPerThread) await this.#post(threadId, number + 1);
    }
  }

  #leave(threadId: string, problem: string | undefined): void {
    this.#turns.delete(threadId);
    this.ended += 1;
    if (problem !== undefined) this.wrong.push(`${threadId}: ${problem}`);
  }
}

async function listed<T>(rows: AsyncIterable<T>): Promise<T[]> {
  return patiently(async () => {
    const found: T[] = [];
    for await (const row of rows) found.push(row);
    return found;
  });
}

/** Tries again while the store is away. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!KumikoError.is(error) || error.code !== "STORE_FAILED") throw error;
      await pause(100);
    }
  }
}
