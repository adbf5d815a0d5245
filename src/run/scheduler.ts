import type { NodeFailure } from "../components/policies.js";
import { END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../is.js";
import { StreamReader } from "../schema/stream/reader.js";
import { whenReady } from "./async.js";
import type { Body } from "./body.js";
import { deliverToAll, without } from "./delivery.js";
import { noNextNode } from "./errors.js";
import { joinAtEnd, joinInputs } from "./fan-in.js";
import type { deliverWired } from "./mapping/wired-delivery.js";
import { endWithFailure, nodeFailureOf, takesErrorBranch } from "./node-failure.js";
import type { NodeStops } from "./node-stops.js";
import { complete, end, leaveRest } from "./outcome.js";
import { unusedAnswerOf } from "./questions.js";
import { type Readiness, type Ready, readinessOf } from "./readiness.js";
import { isPending, type Targets } from "./routes.js";
import { choose, indexesOf, namesOf, sortByIndex } from "./routing.js";
import type { Run } from "./run.js";
import { halt, type RunLedger, resultIsThere } from "./run-parts.js";
import { collect, discard } from "./streams/joining.js";
import { endingAfter, readToEnd } from "./streams/output-streams.js";
import { type Delivery, Task } from "./task.js";

/**
 * Runs the nodes of a graph: ended tasks are routed, readiness decides which nodes are next, and the ledger, if there is one,
 * knows the outcome of tasks that an earlier process ran.
 */
export class Scheduler {
  readonly #run: Run;
  readonly #readiness: Readiness;
  readonly #ledger: RunLedger | undefined;
  readonly #stops: NodeStops | undefined;
  /** How many tasks, branches and saves are in progress. */
  #running = 0;
  /** Tasks that have their output and are not routed yet. */
  #ended: Task[] = [];
  /** The tasks that were routed last: those of a step, or without steps a single one. */
  #routed: readonly Task[] = [];
  #failure: { readonly error: unknown } | undefined = undefined;
  /** How many tasks, and branches after tasks, wait for an answer. */
  #waiting = 0;
  /** A stream has failed, and the origin of its error is being determined. */
  #isFailing = false;
  /** Nodes that are ready and do not start, because the run is stopping. */
  #held: readonly Ready[] = none;
  /** Tasks that an earlier process routed; their skips are already counted. */
  #restored: ReadonlySet<Task> | undefined = undefined;
  /** Reads of streams that no node takes; the output of the run ends after them. */
  #unread: Promise<void>[] | undefined = undefined;
  /** The run has its result or has failed; tasks that end now are too late. */
  #isOver = false;
  #wake: (() => void) | undefined = undefined;
  #idle: (() => void)[] = [];

  constructor(run: Run, stops: NodeStops | undefined) {
    this.#run = run;
    this.#readiness = readinessOf(run.program);
    this.#ledger = run.ledger;
    this.#stops = stops;
    run.scheduler = this;
  }

  /** Runs from ended tasks on, once they are saved. Resolves to the result; rejects with what the run rejects with. */
  async run(ended: readonly Task[], saving?: Promise<void>): Promise<unknown> {
    const run = this.#run;
    try {
      if (saving !== undefined) await saving;
      this.#resume(ended);
      const last = await this.#loop();
      const result = this.#finish(last);
      const completed = complete(run, isPromiseLike(result) ? await result : result);
      const output = isPromiseLike(completed) ? await completed : completed;
      return this.#ledger === undefined ? output : this.#ledger.keepResult(output);
    } catch (error) {
      this.#isOver = true;
      for (const { inbox } of this.#held) this.#dropAll(inbox);
      const failure = end(run, error);
      throw failure instanceof Promise ? await failure : failure;
    }
  }

  /** Begins at START, or after tasks that an earlier process finished. */
  #resume(ended: readonly Task[]): void {
    this.#ended = [...ended];
    if (ended.every(({ index, targets }) => index === START_INDEX && targets === undefined)) return;
    this.#readiness.resume(ended);
    this.#restored = new Set(ended.filter(({ targets }) => targets !== undefined));
  }

  /** Runs steps until END is ready; resolves to its deliveries. */
  async #loop(): Promise<Ready> {
    const { isStepwise } = this.#readiness;
    for (;;) {
      if (!isStepwise || this.#running === 0) this.#routeEnded();
      this.#throwIfOver();
      const batch = isStepwise && this.#running > 0 ? none : this.#take();
      const [first] = batch;
      if (first?.target === END_INDEX) return first;
      if (first !== undefined) {
        if (isStepwise) this.#run.nextStep(batch);
        for (const ready of batch) {
          // an abort prevents the rest of the batch from starting; a failure does not
          if (this.#run.aborted) break;
          const pending = this.#launch(ready, isStepwise && batch.length === 1);
          if (pending !== undefined) await pending;
        }
      }
      this.#throwIfOver();
      if (this.#ended.length > 0 && !(isStepwise && (this.#running > 0 || this.#isHalted))) continue;
      if (this.#running === 0) {
        if (this.#unread === undefined) throw this.#nothingLeft();
        await this.#readRest(this.#unread);
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Something waits for an answer: nothing new starts, unless the question is withdrawn. */
  get #isHalted(): boolean {
    return this.#waiting > 0 || this.#run.halted;
  }

  /** The nodes that can start now. A requested stop still lets END finish the run; an open question does not. */
  #take(): readonly Ready[] {
    const run = this.#run;
    const next = this.#readiness.take();
    if (next.length > 0) this.#stops?.check(this.#readiness.isStepwise ? indexesOf(this.#routed) : [], next);
    const batch = this.#held.length === 0 ? next : [...this.#held, ...next];
    const end = batch.find(({ target }) => target === END_INDEX);
    const isHalted = this.#isHalted || this.#isFailing || this.#stops?.stop !== undefined;
    this.#held = !isHalted && (end !== undefined || !run.isStopRequested) ? none : batch;
    if (this.#held.length > 0) return none;
    return end === undefined ? batch : [end];
  }

  /** Waits for streams that no node takes before reporting that nothing follows: their nodes may yet fail or ask. */
  async #readRest(unread: readonly Promise<void>[]): Promise<void> {
    this.#unread = undefined;
    await Promise.allSettled(unread);
  }

  #nothingLeft(): unknown {
    const run = this.#run;
    if (this.#isHalted || this.#held.length > 0) return halt;
    return run.blame(noNextNode(run.nodePath, namesOf(run, indexesOf(this.#routed))), START_INDEX);
  }

  #throwIfOver(): void {
    this.#run.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves when nothing is running; rejects if something has failed. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Starts a node. Returns a promise only for a node that runs alone: awaited directly, it keeps the stack trace intact. */
  #launch({ target, inbox }: Ready, isAlone: boolean): Promise<void> | undefined {
    const task = new Task(this.#run, target);
    const known = this.#ledger?.start(task, inbox);
    if (known === "blocked") this.#waiting++;
    else if (known === "ended") this.#ended.push(task);
    if (known !== undefined) {
      this.#dropAll(inbox);
      return undefined;
    }
    let output: unknown;
    try {
      output = this.#begin(task, inbox);
    } catch (error) {
      this.#caught(task, error);
      return undefined;
    }
    if (!isPromiseLike(output)) {
      this.#end(task, output, isAlone);
      return undefined;
    }
    if (isAlone && this.#running === 0) return this.#awaitAlone(task, output);
    this.#running++;
    output.then(
      (ready) => this.#settle(task, ready, false),
      (error) => this.#settle(task, undefined, false, { error }),
    );
    return undefined;
  }

  #settle(task: Task, output: unknown, isAlone: boolean, failed?: { readonly error: unknown }): void {
    this.#running--;
    try {
      if (failed === undefined) this.#end(task, output, isAlone);
      else this.#caught(task, failed.error);
    } catch (error) {
      this.#caught(task, error);
    }
    this.wakeUp();
  }

  async #awaitAlone(task: Task, pending: PromiseLike<unknown>): Promise<void> {
    this.#running++;
    try {
      this.#settle(task, await pending, true);
    } catch (error) {
      this.#settle(task, undefined, true, { error });
    }
  }

  #begin(task: Task, inbox: readonly Delivery[]): unknown {
    const input = this.#join(task, inbox);
    if (!isPromiseLike(input)) return this.#call(task, input);
    return input.then((ready) => this.#call(task, ready));
  }

  /** The result of user functions in a mapping is kept, so that a node that pauses gets the same input when it resumes. */
  #join(task: Task, inbox: readonly Delivery[]): unknown {
    const run = this.#run;
    const join = (): unknown => joinInputs(run, task.index, inbox);
    if (this.#ledger === undefined || run.node(task.index).input?.isRepeatable !== false) return join();
    return this.#ledger.prepareMapped(join, task);
  }

  #call(task: Task, input: unknown): unknown {
    this.#run.throwIfAborted();
    return (this.#run.bodies[task.index] as Body)(input, task);
  }

  /** A node has returned its output. */
  #end(task: Task, output: unknown, isAlone: boolean): void {
    const run = this.#run;
    if (this.#isOver || run.aborted) {
      this.#endLate(task, output);
    } else if (run.mode === "invoke" && isStream(output)) {
      this.#track(task, collect(output, task), (whole) => this.#end(task, whole, isAlone));
    } else if (task.hasStopped && !task.isStreaming) {
      discard(output);
      this.#wait(task, task);
    } else if ((run.mode === "invoke" || !task.isStreaming) && this.#refusesUnused(task, task)) {
      discard(output);
    } else {
      task.isOver = !task.isStreaming;
      task.output = run.delivered(task.index, output);
      const saving = this.#ledger?.ended(task, isAlone);
      if (saving === undefined) this.#ended.push(task);
      else this.#track(task, saving, () => this.#ended.push(task));
    }
  }

  /** Fails the run if a task, or the branch after it (`context`), has not asked for an answer that it was given. */
  #refusesUnused(task: Task, context: Task): boolean {
    const unused = this.#ledger === undefined || task.tried?.fellBack === true ? undefined : unusedAnswerOf(context);
    if (unused !== undefined) this.#failRun(task, unused);
    return unused !== undefined;
  }

  /** A node has returned after the run failed or was aborted: its output is kept, so that a resume does not repeat it. */
  #endLate(task: Task, output: unknown): void {
    const { mode, aborted } = this.#run;
    const isCutOff = task.isStreaming && (aborted || mode === "invoke");
    if (this.#ledger === undefined || task.hasStopped || isCutOff || (mode === "invoke" && isStream(output))) {
      discard(output);
      return;
    }
    task.output = this.#run.delivered(task.index, output);
    this.#ledger.endedLate(task);
  }

  /** A node, or reading its stream, has thrown: a failure, or an interrupt. */
  #caught(task: Task, error: unknown): void {
    if (this.#isOver || this.#run.aborted) return;
    if (this.#run.isStop(error)) this.#wait(task, task);
    else this.#fail(task, error);
  }

  /** `waited`: 1 if it was waiting for an answer. */
  #fail(task: Task, error: unknown, waited = 0): void {
    this.#waiting -= waited;
    if (takesErrorBranch(task, error)) {
      this.#track(
        task,
        nodeFailureOf(task, error),
        (failure) => this.#handOver(task, failure),
        (other) => this.#failRun(task, other),
      );
      return;
    }
    if (task.failure !== undefined) this.#ledger?.failed(task, false);
    this.#failRun(task, error);
  }

  /** An error branch takes the failure of a task, which ends with the failure as its output. */
  #handOver(task: Task, failure: NodeFailure): void {
    if (this.#isOver || this.#run.aborted) return;
    task.withdrawStop();
    endWithFailure(task, failure, this.#run.mode === "transform");
    this.#ledger?.failed(task, true);
    this.#ended.push(task);
  }

  #failRun(task: Task, error: unknown): void {
    const run = this.#run;
    if (run.mode !== "transform") {
      this.#failure ??= { error: run.blame(error, task.index) };
      return;
    }
    this.#isFailing = true;
    this.#running++;
    void run.openStreams.findOrigin(error).then((origin) => {
      this.#running--;
      this.#failure ??= { error: run.blame(origin, task.index) };
      this.wakeUp();
    });
  }

  /** A task, or the branch after it (`context`), waits for an answer: first, what it started has to settle. */
  #wait(task: Task, context: Task): void {
    this.#waiting++;
    const settling = this.#ledger?.settleInvocation(context) ?? context.settle();
    const stopped = (): void => {
      context.openedInvocation?.settleAnswers();
      if (context === task) this.#ledger?.stopped(task);
    };
    if (settling === undefined) stopped();
    else this.#track(task, settling, stopped, (error) => this.#fail(task, error, 1));
  }

  /** Counts a promise as in progress. If it rejects, the task has failed. */
  #track<T>(
    task: Task,
    pending: PromiseLike<T>,
    done: (value: T) => void,
    failed: (error: unknown) => void = (error) => this.#caught(task, error),
  ): void {
    this.#running++;
    pending.then(
      (value) => {
        this.#running--;
        try {
          done(value);
        } catch (error) {
          failed(error);
        }
        this.wakeUp();
      },
      (error) => {
        this.#running--;
        failed(error);
        this.wakeUp();
      },
    );
  }

  /** Wakes the loop; with steps, only once all tasks of the step have ended or one has failed. */
  wakeUp(): void {
    if (this.#running > 0 && this.#readiness.isStepwise && this.#failure === undefined && !this.#run.aborted) return;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
    if (this.#running > 0 || this.#idle.length === 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  // routing

  /** Routes ended tasks; none of a step in which a task waits for an answer. */
  #routeEnded(): void {
    const ended = this.#ended;
    if (ended.length === 0 || (this.#readiness.isStepwise && this.#isHalted)) return;
    this.#ended = [];
    if (this.#readiness.isStepwise) {
      sortByIndex(ended);
      this.#routed = ended;
    }
    for (const task of ended) {
      if (this.#failure !== undefined) return;
      this.#route(task);
    }
  }

  #route(task: Task): void {
    const run = this.#run;
    if (!this.#readiness.isStepwise) this.#routed = [task];
    if (task.targets !== undefined) {
      this.#deliver(task);
      return;
    }
    const asked = task.openedRoute?.openedInvocation;
    if (asked?.isBlocked === true) {
      this.#waiting++;
      return;
    }
    asked?.begin();
    try {
      const targets = choose(run, task);
      if (isPending(targets)) this.#track(task, targets, (ready) => this.#chosen(task, ready), this.#unrouted(task));
      else this.#chosen(task, targets);
      if (task.targets === undefined) this.#saveUnrouted(task);
    } catch (error) {
      this.#unrouted(task)(error);
    }
  }

  #chosen(task: Task, targets: Targets): void {
    const run = this.#run;
    if (this.#isOver || run.aborted) return;
    const { openedRoute } = task;
    if (openedRoute?.hasStopped === true) {
      this.#wait(task, openedRoute);
      return;
    }
    if (openedRoute !== undefined) {
      if (this.#refusesUnused(task, openedRoute)) return;
      openedRoute.isOver = true;
    }
    task.targets = typeof targets === "number" ? [targets] : targets;
    const saving = this.#ledger?.routed(task);
    if (saving === undefined) this.#deliver(task);
    else this.#track(task, saving, () => this.#deliver(task));
  }

  /** Its branches take their time, or have asked something: its output is saved meanwhile. */
  #saveUnrouted(task: Task): void {
    const saving = this.#ledger?.choosing(task);
    if (saving !== undefined) this.#track(task, saving, ignore);
  }

  #unrouted(task: Task): (error: unknown) => void {
    return (error) => {
      if (this.#isOver || this.#run.aborted) return;
      if (this.#run.isStop(error)) this.#wait(task, task.routeContext);
      else this.#fail(task, error);
    };
  }

  #deliver(task: Task): void {
    const run = this.#run;
    const { index, output, targets = [] } = task;
    if (this.#isOver) return void discard(output);
    if (!this.#readiness.isStepwise) this.#stops?.check([index], []);
    const route = run.program.routes[index] ?? noRoute;
    const edges = task.failure === undefined ? route.edges : route.failureEdges;
    if (edges !== undefined) {
      const deliver = run.program.wiring?.deliver as typeof deliverWired;
      const waiting = deliver(this.#readiness, run.mode, task, targets, edges);
      if (waiting !== undefined) this.#track(task, waiting.ended, waiting.deliver);
    } else if (run.mode === "transform" && targets.length === 0) {
      this.#drain(task, output);
    } else {
      deliverToAll(this.#readiness, run.mode, task, targets);
    }
    if (this.#readiness.isStepwise || this.#restored?.has(task) === true) return;
    if (targets.length < route.all.length) this.#readiness.skip(without(route.all, targets));
  }

  /** Reads a stream that no node takes, so that its node runs to completion. */
  #drain(task: Task, output: unknown): void {
    if (!(output instanceof StreamReader)) return;
    const drained = readToEnd(output);
    if (!this.#readiness.isStepwise) {
      this.#track(task, drained, ignore);
      return;
    }
    // the next step does not wait for it, but the output of the run does
    this.#unread ??= [];
    this.#unread.push(drained);
    drained.then(undefined, (error) => {
      this.#caught(task, error);
      this.wakeUp();
    });
  }

  /** END is ready: nothing new starts. What still runs is aborted now, or once a streamed result has been read. */
  #finish({ inbox }: Ready): unknown {
    const run = this.#run;
    const left = this.#readiness.leftOver();
    if (this.#readiness.isStepwise) for (const { source, value } of left) this.#drain(source, value);
    else this.#dropAll(left);
    this.#isOver = true;
    if (this.#running > 0 && run.mode !== "transform") run.stopRest(resultIsThere);
    const withRest = (output: unknown): unknown => {
      if (this.#unread !== undefined) return endingAfter(output, this.#unread);
      return this.#running > 0 ? leaveRest(run, output) : output;
    };
    return whenReady(joinAtEnd(run, inbox), withRest);
  }

  #dropAll(deliveries: readonly Delivery[]): void {
    if (this.#run.mode !== "transform") return;
    for (const { value } of deliveries) if (value instanceof StreamReader) void value.cancel();
  }
}

const ignore = (): void => {};
const none: readonly Ready[] = [];
const noRoute = { all: [], edges: undefined, failureEdges: undefined };
