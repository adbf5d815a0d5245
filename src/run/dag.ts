import { causedByInterrupt, InterruptError } from "../checkpoint/interrupt.js";
import { END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Body } from "./body.js";
import { collect } from "./collect.js";
import { noNextNode } from "./errors.js";
import { discard, drop, join, movesStreams, split, withKey } from "./flow.js";
import { type Answers, anyPending, ask, namesOf, targetsOf } from "./route.js";
import type { Run } from "./run.js";
import { settleStop } from "./settle-stop.js";
import { TaskContext } from "./task-context.js";

/** What was delivered to a node so far. */
interface Inbox {
  readonly sources: number[];
  readonly values: unknown[];
}

/**
 * The scheduler of `allPredecessor` graphs. A node runs once all its sources have delivered or were skipped, as soon as
 * that is so; when all were skipped it is skipped itself. The run has its result when END has; whatever still runs then is
 * stopped. What happens depends on nothing but the inputs and the order in which tasks finish.
 */
export class DagSchedule {
  readonly #run: Run;
  /** How many sources of each node have neither delivered nor been skipped. */
  readonly #open: number[];
  readonly #inboxes: (Inbox | undefined)[];
  readonly #ready: number[] = [];
  #last = START_INDEX;
  #running = 0;
  #settled = false;
  /** END has its input: only the check of the result is still waited for. */
  #hasResult = false;
  /** A node has failed: only the place where its error began is still looked for. */
  #failing = false;
  #resolve: ((value: unknown) => void) | undefined = undefined;
  #reject: ((error: unknown) => void) | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;

  constructor(run: Run) {
    this.#run = run;
    this.#open = run.program.sourceCounts.slice();
    this.#inboxes = new Array(this.#open.length);
  }

  /** The result, or a promise of it. */
  start(input: unknown): unknown {
    this.#guard(START_INDEX, () => this.#route(START_INDEX, input));
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
    const ready = this.#ready;
    const run = this.#run;
    // what became ready together starts together, also when one of them stops to wait
    for (let n = 0; n < ready.length && this.#isOpen && !run.aborted; n++) this.#runNode(ready[n] as number);
    ready.length = 0;
    if (!this.#isOpen) return;
    if (this.#isWaiting) this.#stop();
    else if (run.aborted) this.#fail(START_INDEX, run.reason);
    else if (this.#running === 0) this.#fail(START_INDEX, noNextNode(run.nodePath, namesOf(run, [this.#last])));
  }

  #runNode(index: number): void {
    const run = this.#run;
    try {
      const { sources, values } = inOrder(this.#inboxes[index] as Inbox);
      this.#inboxes[index] = undefined;
      const input = join(run, index, sources, values);
      if (isPromiseLike(input)) this.#await(index, input, (ready) => this.#enter(index, ready));
      else this.#enter(index, input);
    } catch (error) {
      if (!this.#waitsAt(error)) this.#fail(index, error);
    }
  }

  #enter(index: number, input: unknown): void {
    const run = this.#run;
    if (index === END_INDEX) {
      this.#end(input);
      return;
    }
    const output = (run.bodies[index] as Body)(input, new TaskContext(run, index));
    if (isPromiseLike(output)) this.#await(index, output, (ready) => this.#leave(index, ready));
    else this.#leave(index, output);
  }

  #leave(index: number, output: unknown): void {
    if (this.#isWaiting) {
      discard(output);
      return;
    }
    if (this.#run.mode === "invoke" && isStream(output)) {
      const whole = collect(output, new TaskContext(this.#run, index));
      this.#await(index, whole, (ready) => this.#route(index, ready));
    } else {
      this.#route(index, output);
    }
  }

  /** Nothing starts any more. In a run on streams what feeds the result still produces: that is stopped when it was read. */
  #end(input: unknown): void {
    const run = this.#run;
    this.#hasResult = true;
    for (const inbox of this.#inboxes) for (const value of inbox?.values ?? []) drop(run, value);
    if (this.#running > 0) {
      if (movesStreams(run)) run.leaveRest();
      else run.stopRest("Stopped, because the run has its result.");
    }
    const result = run.complete(input);
    if (isPromiseLike(result)) this.#await(END_INDEX, result, (checked) => this.#finish(checked));
    else this.#finish(result);
  }

  /** Whether nodes may still run. */
  get #isOpen(): boolean {
    return !this.#settled && !this.#hasResult && !this.#failing;
  }

  /** Whether some node waits for somebody: what runs goes on, and nothing new starts. */
  get #isWaiting(): boolean {
    return this.#run.halted && !this.#run.aborted;
  }

  #waitsAt(error: unknown): boolean {
    return this.#isWaiting && causedByInterrupt(error);
  }

  /** When nothing runs any more, the run leaves what waits to its caller. */
  #stop(): void {
    if (this.#running > 0 || !this.#isOpen) return;
    this.#failing = true;
    const run = this.#run;
    void settleStop(run, run.haltReason).then((stopped) => {
      if (InterruptError.is(stopped)) this.#settle(run.interrupt(stopped));
      else this.#fail(START_INDEX, stopped);
    });
  }

  /** Goes on when a promise has its value. */
  #await(index: number, value: PromiseLike<unknown>, next: (ready: unknown) => void): void {
    this.#running += 1;
    value.then(
      (ready) => {
        this.#running -= 1;
        if (this.#isOver(index)) return discard(ready);
        this.#guard(index, () => next(ready));
        if (this.#isOpen) this.#pump();
      },
      (error: unknown) => {
        this.#running -= 1;
        if (this.#isOver(index)) return;
        if (this.#waitsAt(error)) this.#stop();
        else if (movesStreams(this.#run)) void this.#failFrom(index, error);
        else this.#fail(index, error);
      },
    );
  }

  /** Whether what a task gives comes too late, or ends the run because it was stopped meanwhile. */
  #isOver(index: number): boolean {
    if (this.#settled || this.#failing || (this.#hasResult && index !== END_INDEX)) return true;
    if (!this.#run.aborted || this.#hasResult) return false;
    this.#fail(index, this.#run.reason);
    return true;
  }

  /** The error may be of a stream that this node has read. */
  async #failFrom(index: number, error: unknown): Promise<void> {
    this.#failing = true;
    this.#fail(index, await this.#run.findOrigin(error));
  }

  #guard(index: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!this.#waitsAt(error)) this.#fail(index, error);
    }
  }

  #route(index: number, output: unknown): void {
    const run = this.#run;
    this.#last = index;
    const sole = run.program.sole[index] as number;
    if (sole > START_INDEX) this.#give(sole, index, output);
    else if (run.program.routes[index]?.branches.length === 0) this.#deliver(index, output, []);
    else this.#ask(index, output);
  }

  #ask(index: number, output: unknown): void {
    const run = this.#run;
    const asked = ask(run, index, withKey(run, index, output));
    const rest = movesStreams(run) ? asked.output : output;
    if (anyPending(asked.answers)) {
      this.#await(index, Promise.all(asked.answers), (answers) => this.#deliver(index, rest, answers as Answers));
    } else {
      this.#deliver(index, rest, asked.answers);
    }
  }

  #deliver(index: number, output: unknown, answers: Answers): void {
    const run = this.#run;
    const targets = targetsOf(run, index, answers);
    const all = run.program.routes[index]?.all ?? [];
    if (targets.length === 0) drop(run, output);
    const parts = targets.length === 0 ? [] : split(run, output, targets.length);
    for (let n = 0; n < targets.length; n++) this.#give(targets[n] as number, index, parts[n]);
    if (targets.length < all.length) this.#skip(all.filter((target) => !targets.includes(target)));
  }

  #give(target: number, source: number, value: unknown): void {
    const inbox = this.#inboxes[target];
    if (inbox === undefined) {
      this.#inboxes[target] = { sources: [source], values: [value] };
    } else {
      inbox.sources.push(source);
      inbox.values.push(value);
    }
    this.#close(target);
  }

  /** One source of a node has reported. True when the node will not run. */
  #close(target: number): boolean {
    const open = (this.#open[target] as number) - 1;
    this.#open[target] = open;
    if (open > 0) return false;
    if (this.#inboxes[target] === undefined) return true;
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
    this.#settled = true;
    this.#run.result = result;
    this.#resolve?.(result);
  }

  #fail(index: number, error: unknown): void {
    if (this.#settled) return;
    this.#run.at = index;
    this.#settle(this.#run.fail(error));
  }

  #settle(failure: unknown): void {
    this.#settled = true;
    this.#failure = { error: failure };
    this.#reject?.(failure);
  }
}

/** By order of declaration; they came in the order in which they finished. */
function inOrder(inbox: Inbox): Inbox {
  const { sources, values } = inbox;
  let sorted = true;
  for (let n = 1; n < sources.length && sorted; n++) sorted = (sources[n - 1] as number) < (sources[n] as number);
  if (sorted) return inbox;
  const order = sources.map((_, n) => n).sort((a, b) => (sources[a] as number) - (sources[b] as number));
  return { sources: order.map((n) => sources[n] as number), values: order.map((n) => values[n]) };
}
