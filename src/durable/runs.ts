import { randomId } from "../callbacks/random-id.js";
import { checkOptions } from "../check-options.js";
import { unknownCheckpoint } from "../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { DocumentTree } from "../checkpoint/document/document-tree.js";
import type { JsonRecord } from "../checkpoint/document/json-parts.js";
import { isConflict, reservedId } from "../checkpoint/errors.js";
import { checkCheckpointId, reservedMark } from "../checkpoint/journal/checkpoint-id.js";
import { storeError } from "../checkpoint/journal/store-calls.js";
import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { RunQuery, RunRow } from "../checkpoint/runs/run-index.js";
import { checkRunQuery } from "../checkpoint/runs/run-query.js";
import { unbegunRun } from "../checkpoint/runs/unbegun-run.js";
import { ValueCodec } from "../checkpoint/values/value-codec.js";
import { defaultRuntime } from "../compose/default-runtime.js";
import type { Answers } from "../compose/options.js";
import type { Runtime } from "../compose/runtime.js";
import type { SavedRun } from "../compose/segment.js";
import { KumikoError } from "../errors.js";
import { hasMethod } from "../is.js";
import { type ChangedHead, changeRun } from "./change-run.js";
import { invalidName, noAge, notAStore, outsidePrefix } from "./errors.js";
import { allRows } from "./find-rows.js";
import { lenientCodec } from "./lenient-codec.js";
import { type ReadContext, readState, type StoredRun } from "./read-run.js";
import { withAnswers } from "./record-answers.js";
import { commonPrefix, isInside, threadOfRun } from "./run-ids.js";
import { type SweepOptions, sweepRuns } from "./sweep-runs.js";
import { watchRun } from "./watch-run.js";

/** Options of {@link runs}. */
export interface RunsOptions {
  /** Only runs whose ids start with it, as those of one tenant: others are not there. */
  readonly prefix?: string | undefined;
  /** Its codecs save and read instances of your classes, its schema validator checks answers. */
  readonly runtime?: Runtime | undefined;
}

/** A question that a run waits for. */
export interface RunQuestion {
  /** The run that waits. */
  readonly run: SavedRun;
  /** The open question, with its id and what was asked. */
  readonly interrupt: Interrupt;
}

/** The names of the graphs that can be enqueued: turns of agents are not. */
export type EnqueueName<Apps> = {
  [Name in keyof Apps & string]: Apps[Name] extends { readonly generate: unknown } ? never : Name;
}[keyof Apps & string];

/** The input of an app. */
export type EnqueueInput<App> = App extends { readonly invoke: (input: infer I, ...rest: never) => unknown }
  ? I
  : App extends { segment(id: string, options?: infer Options): unknown }
    ? Options extends { readonly input?: infer I }
      ? I
      : unknown
    : unknown;

/** The runs of a store, for operators: it knows no users. */
export interface Runs<Apps = Readonly<Record<string, unknown>>> {
  /** The state of a run; `undefined` if there is none. One that cannot be read is `failed`, with its error. */
  get(id: string): Promise<SavedRun | undefined>;
  /** Lists runs by the time of their last change of status, the oldest first. Without a limit, all of them. */
  list(query?: RunQuery): AsyncIterable<RunRow>;
  /** Lists the open questions of all runs that wait, those that wait longest first. */
  questions(query?: Omit<RunQuery, "status">): AsyncIterable<RunQuestion>;
  /** Saves a run for workers. `created` is `false` if the id is in use: then nothing is written. @default a random id */
  enqueue<Name extends EnqueueName<Apps>>(
    name: Name,
    input: EnqueueInput<Apps[Name]>,
    options?: { readonly id?: string | undefined },
  ): Promise<{ readonly id: string; readonly created: boolean }>;
  /**
   * Records answers by interrupt id, all or none. The run is `ready` once all of its questions have one, or at once with `goOn`.
   * The same answer again changes nothing; another one rejects with `ALREADY_ANSWERED`.
   */
  answer(id: string, answers: Answers, options?: { readonly goOn?: boolean | undefined }): Promise<SavedRun>;
  /** Cancels an unfinished run, even while another process runs it: that one stops at its next save. */
  cancel(id: string): Promise<SavedRun | undefined>;
  /** Makes a run `ready` that has failed, was cancelled or stopped. Every other one stays as it is. */
  retry(id: string): Promise<SavedRun | undefined>;
  /** The state of a run now, and after each change, until it is finished, cancelled or removed, or the signal is aborted. */
  watch(id: string, options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<SavedRun>;
  /** Removes old runs with their histories, and returns how many. Those that are ready or running, and turns, always stay. */
  sweep(options: SweepOptions): Promise<number>;
}

/**
 * The runs of a store: enqueue, list, answer, cancel and watch them from anywhere, without the apps that run them.
 *
 * @example
 * const store = sqliteStore("runs.db");
 * await runs(store).enqueue("order", { boxes: 20 }, { id: "order-7" }); // runs<typeof apps> checks name and input
 * for await (const { run, interrupt } of runs(store).questions()) {
 *   console.log(run.id, interrupt.info);
 *   await runs(store).answer(run.id, { [interrupt.id]: true });
 * }
 */
export function runs<Apps = Readonly<Record<string, unknown>>>(
  store: CheckpointStore,
  options: RunsOptions = {},
): Runs<Apps> {
  if (!hasMethod(store, "get") || !hasMethod(store, "put")) throw notAStore(store);
  checkOptions("runs", options, { prefix: [(value) => typeof value === "string", "a string"], runtime: true });
  const { prefix = "", runtime = defaultRuntime } = options;
  return new StoreRuns(store, prefix, runtime) as Runs<Apps>;
}

class StoreRuns implements Runs<Readonly<Record<string, unknown>>> {
  readonly #store: CheckpointStore;
  readonly #prefix: string;
  readonly #runtime: Pick<Runtime, "clock" | "codecs" | "schemaValidator">;
  readonly #codec: ValueCodec;
  readonly #context: ReadContext;

  constructor(store: CheckpointStore, prefix: string, runtime: Pick<Runtime, "clock" | "codecs" | "schemaValidator">) {
    this.#store = store;
    this.#prefix = prefix;
    this.#runtime = runtime;
    this.#codec = new ValueCodec(runtime.codecs);
    this.#context = { store, codec: lenientCodec(runtime.codecs), now: () => Math.floor(runtime.clock.now()) };
  }

  async get(id: string): Promise<SavedRun | undefined> {
    return this.#has(id) ? (await readState(this.#context, id))?.run : undefined;
  }

  list(query: RunQuery = {}): AsyncIterable<RunRow> {
    checkRunQuery(query);
    return this.#rows(query);
  }

  async *#rows(query: RunQuery): AsyncGenerator<RunRow, void> {
    const prefix = commonPrefix(this.#prefix, query.prefix ?? "");
    if (prefix !== undefined) yield* allRows(this.#store, { ...query, prefix });
  }

  questions(query: Omit<RunQuery, "status"> = {}): AsyncIterable<RunQuestion> {
    return this.#questionsOf(this.list({ ...query, status: "waiting" }));
  }

  async *#questionsOf(rows: AsyncIterable<RunRow>): AsyncGenerator<RunQuestion, void> {
    for await (const row of rows) {
      const { run } = (await readState(this.#context, row.id, row)) ?? {};
      if (run !== undefined) for (const interrupt of run.interrupts) yield { run, interrupt };
    }
  }

  async enqueue(
    name: string,
    input: unknown,
    options: { readonly id?: string | undefined } = {},
  ): Promise<{ readonly id: string; readonly created: boolean }> {
    if (typeof name !== "string" || name === "") throw invalidName(name);
    checkOptions("enqueue", options, ["id"]);
    const { id = `${this.#prefix}${randomId()}` } = options;
    checkCheckpointId(id);
    if (id.startsWith(reservedMark)) throw reservedId(id);
    if (!id.startsWith(this.#prefix)) throw outsidePrefix(id, this.#prefix);
    const given = this.#codec.encode(input, `input of "${name}"`);
    const { data, index } = unbegunRun({ graph: name, at: this.#context.now(), given });
    try {
      await this.#store.put(id, data, undefined, index);
      return { id, created: true };
    } catch (error) {
      if (isConflict(error)) return { id, created: false };
      throw storeError("write", id, error);
    }
  }

  async answer(id: string, answers: Answers, options: { readonly goOn?: boolean | undefined } = {}): Promise<SavedRun> {
    checkOptions("answer", options, { goOn: [(value) => typeof value === "boolean", "true or false"] });
    const { schemaValidator: validator } = this.#runtime;
    const recording = { id, answers, goesOn: options.goOn === true, codec: this.#codec, validator };
    const change = (stored: StoredRun): Promise<ChangedHead | undefined> =>
      withAnswers(stored, { ...recording, now: this.#context.now() });
    const changed = this.#has(id) ? await changeRun(this.#context, id, change) : undefined;
    if (changed === undefined) throw unknownCheckpoint(id);
    return changed;
  }

  async cancel(id: string): Promise<SavedRun | undefined> {
    if (!this.#has(id)) return undefined;
    if (threadOfRun(id) === undefined) return this.#change(id, (stored) => this.#cancelled(stored));
    const run = await this.get(id);
    if (run === undefined || run.status === "finished" || run.status === "cancelled") return run;
    const { cancelTurn } = await import("../agents/threads/cancel-run.js");
    await cancelTurn(this.#store, id);
    return (await this.get(id)) ?? cancelled(run, this.#context.now());
  }

  async retry(id: string): Promise<SavedRun | undefined> {
    if (threadOfRun(id) === undefined || !this.#has(id)) return this.#change(id, (stored) => this.#retried(stored));
    const { retryTurn } = await import("../agents/threads/cancel-run.js");
    await retryTurn(this.#store, id);
    return this.get(id);
  }

  /** A run that cannot be read stays as it is. */
  async #change(id: string, change: (stored: StoredRun) => ChangedHead | undefined): Promise<SavedRun | undefined> {
    if (!this.#has(id)) return undefined;
    try {
      return await changeRun(this.#context, id, change);
    } catch (error) {
      if (KumikoError.is(error) && error.code === "CHECKPOINT_UNREADABLE") return this.get(id);
      throw error;
    }
  }

  #cancelled({ document: { status }, tree }: StoredRun): ChangedHead | undefined {
    if (status === "finished" || status === "cancelled") return undefined;
    return { status: "cancelled", since: this.#context.now(), ...answersIn(tree) };
  }

  #retried({ document: { status, root, given }, tree }: StoredRun): ChangedHead | undefined {
    const isOver = status === "failed" || status === "cancelled" || status === "stopped";
    if (!isOver || (root ?? given) === undefined) return undefined;
    return { status: "ready", since: this.#context.now(), attempts: 0, ...answersIn(tree) };
  }

  watch(id: string, options: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterable<SavedRun> {
    checkOptions("watch", options, { signal: [(value) => value instanceof AbortSignal, "an AbortSignal"] });
    return this.#watched(id, options.signal);
  }

  async *#watched(id: string, signal: AbortSignal | undefined): AsyncGenerator<SavedRun, void> {
    if (!this.#has(id)) throw unknownCheckpoint(id);
    yield* watchRun(this.#context, id, { clock: this.#runtime.clock, signal });
  }

  async sweep(options: SweepOptions): Promise<number> {
    const age = [(value: unknown) => typeof value === "number" && value >= 0, "a number of milliseconds"] as const;
    checkOptions("sweep", options, { finishedMs: age, failedMs: age, waitingMs: age });
    if (options.finishedMs === undefined) throw noAge();
    return sweepRuns(this.#context, this.#prefix, options);
  }

  #has(id: string): boolean {
    checkCheckpointId(id);
    return isInside(id, this.#prefix);
  }
}

/** Recorded answers stay until a claim applies them. */
function answersIn(tree: DocumentTree): { readonly answers?: JsonRecord } {
  const { answers } = tree.finish();
  return answers === undefined ? {} : { answers: answers as JsonRecord };
}

/** A run that went when it was cancelled. */
function cancelled({ id, graph, startedAt, attempts }: SavedRun, now: number): SavedRun {
  return { id, graph, startedAt, changedAt: new Date(now), attempts, interrupts: [], status: "cancelled" };
}
