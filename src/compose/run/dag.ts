import { END_INDEX, START_INDEX } from "../plan/plan.js";
import { isPromiseLike, isStream, whenReady } from "./async.js";
import type { Body } from "./body.js";
import { noNextNode } from "./errors.js";
import { drop, join, movesStreams, split } from "./flow.js";
import { collect } from "./collect.js";
import { type Answers, anyPending, ask, namesOf, targetsOf } from "./route.js";
import type { Run } from "./run.js";
import { TaskContext } from "./task-context.js";

/**
 * The scheduler of `allPredecessor` graphs. A node runs once all its sources have delivered or were skipped, as soon as
 * that is so; when all were skipped it is skipped itself. The run has its result when END has, whatever still runs then is
 * stopped. What happens depends on nothing but the inputs and the order in which tasks finish.
 */
export class DagSchedule {
  readonly #run: Run;
  /** How many sources of each node have neither delivered nor been skipped. */
  readonly #open: number[];
  /** What was delivered to each node, by source. */
  readonly #delivered = new Map<number, Map<number, unknown>>();
  readonly #ready: number[] = [];
  readonly #last: number[] = [];
  #running = 0;
  #settled = false;
  #resolve: ((value: unknown) => void) | undefined = undefined;
  #reject: ((error: unknown) => void) | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;

  constructor(run: Run) {
    this.#run = run;
    this.#open = run.program.sources.map((sources) => sources.length);
  }

  /** The result, or a promise of it. */
  start(input: unknown): unknown {
    this.#route(START_INDEX, input);
    this.#pump();
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#settled) return this.#run.result;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Runs what is ready until nothing is. */
  #pump(): void {
    for (let n = 0; n < this.#ready.length && !this.#settled; n++) this.#runNode(this.#ready[n] as number);
    this.#ready.length = 0;
    if (this.#settled || this.#running > 0) return;
    this.#fail(START_INDEX, noNextNode(this.#run.nodePath, namesOf(this.#run, this.#last)));
  }

  #runNode(index: number): void {
    const run = this.#run;
    try {
      const delivered = this.#delivered.get(index) ?? new Map<number, unknown>();
      this.#delivered.delete(index);
      const sources = [...delivered.keys()].sort((a, b) => a - b);
      const input = join(run, index, sources, sources.map((source) => delivered.get(source)));
      if (index === END_INDEX) return this.#await(index, whenReady(input, (result) => run.complete(result)), (result) => this.#finish(result));
      const ctx = new TaskContext(run, index);
      const output = whenReady(input, (ready) => collectIn(run, (run.bodies[index] as Body)(ready, ctx), ctx));
      this.#await(index, output, (value) => this.#route(index, value));
    } catch (error) {
      this.#fail(index, error);
    }
  }

  /** Goes on with a value now, or when its promise has it. */
  #await(index: number, value: unknown, next: (ready: unknown) => void): void {
    if (!isPromiseLike(value)) return next(value);
    this.#running += 1;
    value.then(
      (ready) => {
        this.#running -= 1;
        if (this.#settled) return;
        try {
          next(ready);
          this.#pump();
        } catch (error) {
          this.#fail(index, error);
        }
      },
      (error: unknown) => {
        this.#running -= 1;
        this.#fail(index, error);
      },
    );
  }

  #route(index: number, output: unknown): void {
    const run = this.#run;
    this.#last.length = 0;
    this.#last.push(index);
    if (run.program.routes[index]?.branches.length === 0) return this.#deliver(index, output, []);
    const asked = ask(run, index, output);
    if (!anyPending(asked.answers)) return this.#deliver(index, asked.output, asked.answers);
    this.#await(index, Promise.all(asked.answers), (answers) => this.#deliver(index, asked.output, answers as Answers));
  }

  #deliver(index: number, output: unknown, answers: Answers): void {
    const run = this.#run;
    const targets = targetsOf(run, index, answers);
    const all = run.program.routes[index]?.all ?? [];
    if (targets.length === 0) drop(run, output);
    const parts = targets.length === 0 ? [] : split(run, output, targets.length);
    targets.forEach((target, n) => {
      let delivered = this.#delivered.get(target);
      if (delivered === undefined) this.#delivered.set(target, (delivered = new Map()));
      delivered.set(index, parts[n]);
      this.#close(target);
    });
    if (targets.length < all.length) this.#skip(all.filter((target) => !targets.includes(target)));
  }

  /** One source of a node has reported. True when the node will not run. */
  #close(target: number): boolean {
    const open = (this.#open[target] ?? 0) - 1;
    this.#open[target] = open;
    if (open > 0) return false;
    if (!this.#delivered.has(target)) return true;
    this.#ready.push(target);
    return false;
  }

  /** These targets get nothing from this source; a node whose sources were all skipped passes that on. */
  #skip(targets: readonly number[]): void {
    const skipped = [...targets];
    for (let target = skipped.pop(); target !== undefined; target = skipped.pop()) {
      if (this.#close(target)) skipped.push(...(this.#run.program.routes[target]?.all ?? []));
    }
  }

  #finish(result: unknown): void {
    const run = this.#run;
    this.#settled = true;
    run.result = result;
    for (const delivered of this.#delivered.values()) for (const value of delivered.values()) drop(run, value);
    if (this.#running > 0) this.#leaveRest();
    this.#resolve?.(run.result);
  }

  /** In a run on streams the nodes that feed the result still produce: the rest is stopped when the result was read. */
  #leaveRest(): void {
    const run = this.#run;
    if (movesStreams(run)) run.hasRest = true;
    else run.stopRest("Stopped, because the run has its result.");
  }

  #fail(index: number, error: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#run.at = index;
    const failure = this.#run.fail(error);
    this.#failure = { error: failure };
    this.#reject?.(failure);
  }
}

function collectIn(run: Run, output: unknown, ctx: TaskContext): unknown {
  if (run.mode !== "invoke") return output;
  if (isStream(output)) return collect(output, ctx);
  return isPromiseLike(output) ? output.then((value) => (isStream(value) ? collect(value, ctx) : value)) : output;
}
