import {
  type CacheStore,
  type CompiledGraph,
  type Interrupt,
  isInterrupt,
  KumikoError,
  memoryStore,
  Runtime,
  StreamReader,
} from "kumiko";
import { compile } from "./build.js";
import { joined } from "./meaning.js";
import { input } from "./model.js";
import { Spans } from "./spans.js";
import type { Case, Stop, Value, Way } from "./spec.js";
import { isCrash } from "./stops.js";
import { Writes } from "./store.js";
import { answerTo } from "./words.js";
import { Process, type World } from "./world.js";

/** Where a run has failed. */
export interface Failure {
  readonly code: string;
  /** The path of the node, or the end of it. */
  readonly place: string;
}

/** How a program went. */
export interface Told {
  readonly value: Value;
  /** The run has ended, and its process died before it could say how. */
  readonly isUnknown: boolean;
  readonly failure: Failure | undefined;
  readonly problems: readonly string[];
  readonly asked: ReadonlySet<string>;
  readonly lost: ReadonlySet<string>;
  readonly processes: readonly Process[];
  readonly writes: Writes;
  readonly restarts: number;
  readonly isStep: boolean;
  /** How much of the log there was when it ended. */
  readonly logged: number;
}

type Outcome =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "ended" }
  | { readonly kind: "unknown id" }
  | { readonly kind: "waits"; readonly interrupts: readonly Interrupt[] }
  | { readonly kind: "fails"; readonly failure: Failure }
  | { readonly kind: "stopped" }
  | { readonly kind: "wrong"; readonly problem: string };

const mostProcesses = 60;

/** Runs a program until it is done, in one process after the other, and answers what is asked. */
export class Drive {
  readonly #case: Case;
  readonly #world: World;
  readonly #runtime: Runtime;
  readonly #isPermanent: (place: string) => boolean;
  readonly #id: string;
  readonly #cache: CacheStore;
  readonly #writes: Writes;
  readonly #problems: string[] = [];
  readonly #processes: Process[] = [];
  readonly #spans: Spans[] = [];
  readonly #asked = new Set<string>();
  /** Questions that were open and are not any more, without an answer. */
  readonly #lost = new Set<string>();
  /** The ids of questions, and those that are answered for sure. */
  readonly #ids = new Map<string, string>();
  readonly #answered = new Set<string>();
  #restarts = 0;

  constructor(one: Case, world: World, cache: CacheStore, id: string, isPermanent: (place: string) => boolean) {
    this.#case = one;
    this.#world = world;
    this.#id = id;
    this.#cache = cache;
    this.#isPermanent = isPermanent;
    this.#writes = new Writes(memoryStore(), one.way.appends === true);
    this.#runtime = new Runtime({
      clock: world.clock,
      random: () => 0.5,
      onHandlerError: (error) => this.#problems.push(`handler: ${error}`),
    });
  }

  async run(): Promise<Told> {
    const { way } = this.#case;
    let open: readonly Interrupt[] = [];
    let isStarted = false;
    for (let n = 0; n < mostProcesses; n++) {
      const process = this.#newProcess(way.stops?.[n]);
      const spans = new Spans();
      this.#spans.push(spans);
      const app = this.#compile(process);
      const chosen = this.#choose(open, n);
      const call = isStarted
        ? () => this.#resume(app, process, spans, chosen, n)
        : () => this.#start(app, process, spans);
      const outcome = await this.#settle(process, call);
      isStarted = true;
      if (outcome.kind === "wrong") this.#problems.push(outcome.problem);
      if (outcome.kind === "value") return this.#told({ value: outcome.value });
      if (outcome.kind === "ended") return this.#told({ isUnknown: true });
      if (outcome.kind === "wrong") return this.#told({});
      if (outcome.kind === "fails" && (way.durability === undefined || this.#isPermanent(outcome.failure.place))) {
        return this.#told({ failure: outcome.failure });
      }
      if (outcome.kind === "unknown id") {
        const end = this.#afterUnknown();
        if (end !== undefined) return end;
        isStarted = false;
        open = [];
        continue;
      }
      if (way.durability === undefined) {
        this.#problems.push(`a run that is not saved ends with: ${JSON.stringify(outcome)}`);
        return this.#told({});
      }
      if (outcome.kind !== "stopped") for (const interrupt of chosen) this.#answered.add(questionIn(interrupt) ?? "");
      if (outcome.kind === "waits") this.#look(outcome.interrupts, open, chosen, process);
      if (this.#problems.length > 2) return this.#told({});
      open = outcome.kind === "waits" ? outcome.interrupts.filter((one) => questionIn(one) !== undefined) : [];
    }
    this.#problems.push(`it is not done after ${mostProcesses} processes`);
    return this.#told({});
  }

  /** What is wrong with spans, once nothing goes on. */
  spanProblems(): string[] {
    return this.#spans.flatMap((spans, n) => (this.#processes[n]?.isAlive ? spans.check() : []));
  }

  #newProcess(stop: Stop | undefined): Process {
    const process = new Process(this.#world, this.#processes.length, stop, this.#case.way.control === true);
    this.#processes.push(process);
    return process;
  }

  #compile(process: Process): CompiledGraph<Value, Value> {
    const { flow, way } = this.#case;
    const { durability, keep } = way;
    const saved =
      durability === undefined
        ? {}
        : { store: this.#writes.storeFor(process), durability, keepCheckpoint: keep === true };
    return compile(flow, process, durability === undefined, own(this.#cache), { runtime: this.#runtime, ...saved });
  }

  #options(process: Process, spans: Spans): object {
    const { limit, handlers, signal } = this.#case.way;
    return {
      ...(signal || process.stop?.kind === "abort" ? { signal: process.controller.signal } : {}),
      ...(process.control === undefined ? {} : { control: process.control }),
      ...(limit === undefined ? {} : { maxConcurrency: limit }),
      ...(handlers === undefined ? {} : { callbacks: [spans.handler(handlers)] }),
      ...(this.#crashed() ? { takeover: true } : {}),
    };
  }

  /** Whether a process before has left its claim. */
  #crashed(): boolean {
    return this.#processes.slice(0, -1).some((process) => process.wasStopped && isCrash(process.stop));
  }

  #start(app: CompiledGraph<Value, Value>, process: Process, spans: Spans): Promise<Value> {
    const { mode, durability } = this.#case.way;
    const isAgain = this.#processes.length > 1;
    const options = {
      ...this.#options(process, spans),
      ...(durability === undefined ? {} : { checkpointId: this.#id }),
      ...(isAgain ? { forceNewRun: true } : {}),
    };
    switch (mode) {
      case "invoke":
        return app.invoke(input, options);
      case "collect":
        return app.collect(pieces(), options);
      case "stream":
        return this.#read(app.stream(input, options), process);
      case "transform":
        return this.#read(app.transform(pieces(), options), process);
      default:
        return mode satisfies never;
    }
  }

  #resume(
    app: CompiledGraph<Value, Value>,
    process: Process,
    spans: Spans,
    chosen: readonly Interrupt[],
    n: number,
  ): Promise<Value> {
    const number = numberOf(this.#case.way, n);
    const addresses = new Set(chosen.map(({ address }) => address));
    const byAddress = number % 5 === 4 && addresses.size === chosen.length;
    const record = Object.fromEntries(
      chosen.map((one) => [byAddress ? one.address : one.id, answerTo(questionIn(one) ?? "")]),
    );
    const answers = chosen.length === 0 ? undefined : byAddress ? { byAddress: record } : record;
    const options = this.#options(process, spans);
    const isStreamed =
      this.#case.way.mode === "stream" || this.#case.way.mode === "transform" ? number % 3 !== 1 : number % 3 === 2;
    return isStreamed
      ? this.#read(app.resumeStream(this.#id, answers, options), process)
      : app.resume(this.#id, answers, options);
  }

  async #read(reader: StreamReader<Value>, process: Process): Promise<Value> {
    process.onLeave = () => void reader.cancel(new Error("the reader leaves"));
    const value = await joined(reader);
    if (process.isLeaving) throw new Error("the reader leaves");
    return value;
  }

  async #settle(process: Process, call: () => Promise<Value>): Promise<Outcome> {
    try {
      const value = await Promise.race([call(), process.gone.then(() => gone)]);
      return value === gone ? { kind: "stopped" } : { kind: "value", value: value as Value };
    } catch (error) {
      return outcomeOf(error, process);
    }
  }

  /** Nothing is stored: the run has ended, or it had not begun. */
  #afterUnknown(): Told | undefined {
    const { mode } = this.#case.way;
    const deleter = this.#processes[this.#writes.deletedBy ?? -1];
    // an input that is a stream is saved when it is whole: a run that has failed before that leaves nothing either
    const isLate = mode === "collect" || mode === "transform";
    if (!isLate && isCrash(deleter?.stop) && deleter?.wasStopped) return this.#told({ isUnknown: true });
    if (!isLate && !this.#crashed()) this.#problems.push("there is nothing to resume, though no process has died");
    this.#restarts++;
    this.#ids.clear();
    this.#answered.clear();
    return undefined;
  }

  /** Some of the open questions, in some order. */
  #choose(open: readonly Interrupt[], n: number): readonly Interrupt[] {
    const number = numberOf(this.#case.way, n);
    if (open.length === 0 || number === 0) return [];
    const some = open.filter((_, index) => (number >> index) % 2 === 1);
    const list = some.length === 0 ? open : some;
    return number % 2 === 0 ? list : [...list].reverse();
  }

  #look(
    interrupts: readonly Interrupt[],
    before: readonly Interrupt[],
    chosen: readonly Interrupt[],
    process: Process,
  ): void {
    const questions = interrupts.filter((one) => questionIn(one) !== undefined);
    for (const other of interrupts) {
      if (questionIn(other) !== undefined) continue;
      const kind = (other.info as { kind?: string } | undefined)?.kind;
      if (kind !== "requested" || !process.wasStopped)
        this.#problems.push(`an interrupt that nobody asked for: ${JSON.stringify(other)}`);
    }
    const addresses = new Set(questions.map(({ address }) => address));
    if (addresses.size !== questions.length)
      this.#problems.push(`two questions at one address: ${questions.map(({ address }) => address)}`);
    for (const one of questions) {
      const question = questionIn(one) ?? "";
      this.#asked.add(question);
      const id = this.#ids.get(question);
      if (id !== undefined && id !== one.id) this.#problems.push(`the question ${question} has got another id`);
      if (this.#answered.has(question)) this.#problems.push(`the question ${question} is asked again after its answer`);
      this.#ids.set(question, one.id);
    }
    if (process.wasStopped) return;
    const names = (list: readonly Interrupt[]) => list.map((one) => questionIn(one) ?? "");
    const missing = names(before).filter((name) => !names(questions).includes(name) && !names(chosen).includes(name));
    for (const name of missing) this.#lost.add(name);
  }

  #told(end: { value?: Value; isUnknown?: true; failure?: Failure }): Told {
    return {
      value: end.value,
      isUnknown: end.isUnknown === true,
      failure: end.failure,
      problems: this.#problems,
      asked: this.#asked,
      lost: this.#lost,
      processes: this.#processes,
      writes: this.#writes,
      restarts: this.#restarts,
      isStep: this.#case.way.durability === "step",
      logged: this.#world.log.length,
    };
  }
}

/** What flies in one process is not seen in another one. */
const own = (cache: CacheStore): CacheStore => ({
  get: (key) => cache.get(key),
  set: (key, data, ttlMs) => cache.set(key, data, ttlMs),
  deletePrefix: (prefix) => cache.deletePrefix(prefix),
});

const gone = Symbol("the process is gone");

function numberOf({ answers = [] }: Way, n: number): number {
  return answers.some((number) => number > 0) ? (answers[n % answers.length] ?? 31) : 31;
}

function questionIn({ info }: Interrupt): string | undefined {
  const question = typeof info === "object" && info !== null ? (info as { question?: unknown }).question : undefined;
  return typeof question === "string" ? question : undefined;
}

function outcomeOf(error: unknown, process: Process): Outcome {
  if (isInterrupt(error)) return { kind: "waits", interrupts: error.interrupts };
  const text = error instanceof Error ? error.message : String(error);
  const code = KumikoError.is(error) ? error.code : "none";
  if (code === "UNKNOWN_CHECKPOINT") return { kind: "unknown id" };
  if (code === "CHECKPOINT_FINISHED") return { kind: "ended" };
  const blamed = KumikoError.is(error)
    ? error.nodePath.map((key) => key.replace(/^node_\d+_(parallel|branch)_/, ""))
    : [];
  const own = /fails: ([^@]+)@/.exec(messagesOf(error))?.[1];
  if (code === "NODE_FAILED" && own !== undefined) {
    const key = own.split("/").findLast((part) => part !== "item") ?? "";
    if (!blamed.includes(key))
      return { kind: "wrong", problem: `blames ${blamed.join("/")} for the failure of ${own}` };
    return { kind: "fails", failure: { code, place: own } };
  }
  if (code === "NODE_TIMED_OUT") return { kind: "fails", failure: { code, place: blamed.at(-1) ?? "" } };
  if (process.wasStopped) {
    const isExpected = /the caller aborts|the reader leaves|the store is down/.test(messagesOf(error));
    if (isExpected || code === "CHECKPOINT_LOST" || code === "STREAM_CANCELLED" || code === "STORE_FAILED")
      return { kind: "stopped" };
  }
  return { kind: "wrong", problem: `rejects with ${code}: ${text}` };
}

function messagesOf(error: unknown): string {
  const texts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) texts.push(current.message);
  return texts.join("\n");
}

async function* chunks(): AsyncGenerator<Value> {
  for (const piece of ["once upon", " a time"]) {
    await undefined;
    yield { in: piece };
  }
}

const pieces = (): StreamReader<Value> => StreamReader.from(chunks());
