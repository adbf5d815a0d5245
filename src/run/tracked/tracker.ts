import { randomId } from "../../callbacks/random-id.js";
import { nodeIsGone } from "../../checkpoint/checkpoint-errors.js";
import type { Journal } from "../../checkpoint/journal.js";
import type { NodeStop, RunSnapshot } from "../../checkpoint/snapshot.js";
import { type Part, partOfRun } from "../../checkpoint/visit.js";
import { END_INDEX, START_INDEX } from "../../compose/plan/plan.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { isPromiseLike, isStream } from "../async.js";
import type { Body } from "../body.js";
import { collect } from "../collect.js";
import { discard, movesStreams, split } from "../flow.js";
import { type Answers, anyPending, ask, targetsOf } from "../route.js";
import type { Run, RunTracker } from "../run.js";
import type { TaskContext } from "../task-context.js";
import { keepResult } from "./keep-result.js";
import { preparedInput, settleInput } from "./prepared-input.js";
import { Task } from "./task.js";

/** Thrown where nothing more may start; {@link Tracker.end} says what it means. */
const halt: unique symbol = Symbol("halt");

/**
 * Runs a graph and keeps account of its tasks, so that at any moment it can be written down how far it has come. Slower
 * than the plain schedulers, and used only for runs that are saved, can be asked to stop, or stop before or after nodes.
 */
export abstract class Tracker implements RunTracker {
  protected readonly run: Run;
  /** Stops that are behind it: they are not made again when this part is repeated after a crash. */
  #passed: Set<string> | undefined = undefined;
  /** The stop from which the run goes on. */
  #stopsBehind: string[] = [];
  protected stop: NodeStop | undefined = undefined;
  #canBeSaved = false;

  constructor(run: Run) {
    this.run = run;
    run.tracker = this;
    run.place?.visit.startInner(run.innerKey, run);
  }

  /**
   * Runs the graph from its start, or from where a former run stopped; then the input counts only when not even its start was
   * done. Gives what {@link completed} gives, or rejects with what {@link end} gives.
   */
  abstract start(input: unknown, from?: RunSnapshot): Promise<unknown>;

  /** Ends the run with a result. */
  protected completed(result: unknown): unknown {
    const { run } = this;
    const completed = run.complete(result);
    return isPromiseLike(completed) ? completed.then((fit) => keepResult(run, fit)) : keepResult(run, completed);
  }

  prepare(before: Body, input: unknown, ctx: TaskContext): unknown {
    return preparedInput(before, input, ctx);
  }

  /** What a former run knew besides its tasks. */
  protected takeOver(snapshot: RunSnapshot): void {
    const { passed, state, stop } = snapshot;
    const { program, stateCell } = this.run;
    if (state !== undefined && program.plan.state !== undefined && stateCell !== undefined)
      stateCell.value = state.value;
    if (passed.length > 0) this.#passed = new Set(passed);
    if (stop === undefined) return;
    if (stop.answer === undefined) {
      this.stop = stop;
      return;
    }
    for (const key of stop.before) this.#stopsBehind.push(`before:${key}`);
    for (const key of stop.after) this.#stopsBehind.push(`after:${key}`);
  }

  /** All tasks of which account is kept, in the order in which they started. */
  protected abstract tasks(): readonly Task[];
  protected abstract taskSnapshots(): Pick<RunSnapshot, "base" | "tasks">;
  /** Whether only one task can run at a time just now. */
  protected abstract readonly isAlone: boolean;
  /** Whether everybody behind a task has all that it needs of it. */
  protected abstract isUsedUp(task: Task): boolean;

  /**
   * What the run rejects with; a promise of it for one that waits, when it first has to let come to its end what runs beside.
   */
  end(error: unknown): unknown {
    const { run } = this;
    if (run.aborted) return run.fail(error);
    if (error !== halt && !run.isStop(error)) return run.fail(error);
    const settling = this.settle();
    return settling === undefined ? this.#interrupted() : this.#endLater(settling);
  }

  async #endLater(settling: Promise<void>): Promise<unknown> {
    try {
      await settling;
    } catch (other) {
      return this.run.fail(other);
    }
    return this.#interrupted();
  }

  #interrupted(): unknown {
    const { run } = this;
    if (run.aborted) return run.fail(run.reason);
    return run.interrupt(run.interruption());
  }

  /** Nothing more may start: somebody waits, or has asked the run to stop. */
  protected get isHalted(): boolean {
    return this.run.halted || this.run.environment.journal?.isStopRequested === true || this.stop !== undefined;
  }

  protected halted(): unknown {
    return this.run.aborted ? this.run.reason : halt;
  }

  /** What can be said of the run from what is inside it. */
  get part(): Part {
    const visits = this.tasks().flatMap((task) => task.visits);
    return partOfRun(visits, this.stop);
  }

  /** Not as long as its input is a stream that was not read to the end. */
  get canBeSaved(): boolean {
    this.#canBeSaved ||= this.#isStartDone();
    return this.#canBeSaved;
  }

  #isStartDone(): boolean {
    const tasks = this.tasks();
    const start = tasks.find(({ index }) => index === START_INDEX);
    return tasks.length > 0 && (start === undefined || start.isSettled || this.isUsedUp(start));
  }

  snapshot(): RunSnapshot {
    const { run, stop } = this;
    const state = run.program.plan.state === undefined ? undefined : { value: run.ownState };
    const { base, tasks } = this.taskSnapshots();
    return {
      address: run.address,
      base,
      state,
      tasks,
      stop,
      passed: this.#passed === undefined ? [] : [...this.#passed],
    };
  }

  // tasks

  protected startTask(input: unknown): Task {
    const task = new Task(this.run, START_INDEX);
    task.finish(input);
    return task;
  }

  /** Saves the input before the first node starts, where every finished task is saved. */
  protected saveStart(start: Task): Promise<void> | undefined {
    const { journal } = this.run.environment;
    if (journal?.isStepwise !== true || this.run.place !== undefined) return undefined;
    return this.#saveWhole(start, journal);
  }

  async #saveWhole(start: Task, journal: Journal): Promise<void> {
    await this.#readWhole(start);
    if (!start.isSaved) await journal.commit();
  }

  /** Runs a task to its end, or to where it waits. Rejects with ordinary errors only, which have their place. */
  protected launch(task: Task, input: unknown): Promise<void> {
    const execution = this.#execute(task, input);
    // in a run that was stopped before, it may be over already
    if (!this.run.aborted) task.execution = execution;
    return execution;
  }

  /** One async function for all of it: each more would cost every step of a run as much as its node does. */
  async #execute(task: Task, given: unknown): Promise<void> {
    const { run } = this;
    const { index, ctx } = task;
    task.state = "running";
    task.input = undefined;
    ctx.openedVisit?.begin();
    try {
      try {
        const input = given instanceof Promise ? await given : given;
        run.throwIfAborted();
        let output = (run.bodies[index] as Body)(input, ctx);
        if (isPromiseLike(output)) output = await output;
        if (run.aborted) {
          discard(output);
          throw run.reason;
        }
        if (run.mode === "invoke" && isStream(output)) output = await collect(output, ctx);
        if (ctx.openedVisit?.hasStopped === true && !isUnread(output)) {
          discard(output);
          const stopping = this.#stopped(task);
          if (stopping !== undefined) await stopping;
          return;
        }
        task.finish(output);
      } catch (error) {
        if (run.aborted) throw run.reason;
        if (!run.isStop(error)) throw run.blame(await run.findOrigin(error), index);
        const stopping = this.#stopped(task);
        if (stopping !== undefined) await stopping;
        return;
      }
      if (!task.isSettled) return;
      task.isSaved = true;
      const saving = run.environment.journal?.commit(this.isAlone);
      if (saving !== undefined) await saving;
    } finally {
      task.execution = undefined;
    }
  }

  /** A promise only where something of it has not settled. */
  #stopped(task: Task): Promise<void> | undefined {
    const settling = task.ctx.settle();
    if (settling !== undefined || task.ctx.openedVisit?.preparedStream !== undefined)
      return this.#stoppedLater(task, settling);
    stoppedAt(task);
    return undefined;
  }

  async #stoppedLater(task: Task, settling: Promise<void> | undefined): Promise<void> {
    try {
      await settling;
    } catch (error) {
      throw this.run.blame(error, task.index);
    }
    const { openedVisit } = task.ctx;
    if (openedVisit?.preparedStream !== undefined) await settleInput(openedVisit);
    stoppedAt(task);
  }

  /** Decides where the output of a task goes, and what is handed on. A promise only where something has to be awaited. */
  protected route(task: Task): Promise<void> | undefined {
    if (task.targets !== undefined) return undefined;
    if (task.openedRoute?.isBlocked === true) throw halt;
    task.openedRoute?.begin();
    const { run } = this;
    const { index } = task;
    const route = run.program.routes[index];
    if (movesStreams(run)) return this.#routeStream(task);
    if (route === undefined || route.branches.length === 0) {
      run.throwIfAborted();
      task.targets = targetsOf(run, index, []);
      return undefined;
    }
    run.at = index;
    let answers: Answers;
    try {
      answers = ask(run, index, task.output, task.routeContext).answers;
    } catch (error) {
      return this.#unrouted(task, error);
    }
    if (anyPending(answers)) return this.#routeWhenAnswered(task, answers);
    this.#routeTo(task, answers);
    return undefined;
  }

  #routeTo(task: Task, answers: Answers): void {
    const { run } = this;
    if (task.openedRoute?.hasStopped === true) throw halt;
    run.throwIfAborted();
    task.targets = targetsOf(run, task.index, answers);
  }

  async #routeWhenAnswered(task: Task, pending: Answers): Promise<void> {
    let answers: Answers;
    try {
      answers = await Promise.all(pending);
    } catch (error) {
      return this.#unrouted(task, error);
    }
    this.#routeTo(task, answers);
  }

  async #routeStream(task: Task): Promise<void> {
    const { run } = this;
    const { index } = task;
    let answers: Answers = [];
    if ((run.program.routes[index]?.branches.length ?? 0) > 0) {
      run.at = index;
      try {
        const asked = ask(run, index, task.output, task.routeContext);
        task.output = asked.output;
        answers = await Promise.all(asked.answers);
      } catch (error) {
        return this.#unrouted(task, error);
      }
    }
    this.#routeTo(task, answers);
    if (run.environment.journal?.isStepwise === true) await this.#readWhole(task);
  }

  /** A branch has failed, or waits for somebody. */
  async #unrouted(task: Task, error: unknown): Promise<never> {
    const { run } = this;
    if (run.aborted) throw run.reason;
    if (!run.isStop(error)) throw run.blame(await run.findOrigin(error), task.index);
    await task.routeContext.settle();
    task.openedRoute?.settleAnswers();
    throw halt;
  }

  /** Where each finished task is saved before the next one starts, a stream goes on only when it has ended, or to END. */
  async #readWhole(task: Task): Promise<void> {
    const { run } = this;
    const goesToEnd = task.targets?.every((target) => target === END_INDEX) === true;
    if (!movesStreams(run) || goesToEnd || task.isSaved) return;
    const isRead = task.isSettled || (await this.#read(task));
    if (!isRead) throw halt;
    task.isSaved = true;
    await run.environment.journal?.commit();
  }

  /** Reads a copy of its stream to the end. False: it stopped to wait on the way. */
  async #read(task: Task): Promise<boolean> {
    const { run } = this;
    const [handed, read] = split(run, task.output, 2) as readonly AsyncIterable<unknown>[];
    task.output = handed;
    try {
      for await (const _chunk of read ?? []) run.throwIfAborted();
      return true;
    } catch (error) {
      if (run.aborted) throw run.reason;
      if (!run.isStop(error)) throw run.blame(await run.findOrigin(error), task.index);
      await this.#stopped(task);
      return false;
    }
  }

  /** Beside others, a node that cannot lead to END is saved when it has ended, and not when all of them have. */
  protected async launchBeside(task: Task): Promise<void> {
    await this.launch(task, task.input);
    const { journal } = this.run.environment;
    if (journal?.isStepwise !== true || task.state !== "done" || !movesStreams(this.run) || task.isSaved) return;
    const targets = this.run.program.routes[task.index]?.all ?? [];
    if (targets.includes(END_INDEX) || !(task.isSettled || (await this.#read(task)))) return;
    task.isSaved = true;
    await journal.commit();
  }

  protected get stopsAtNodes(): boolean {
    const { interruptBefore, interruptAfter } = this.run.program.plan;
    return (interruptBefore ?? interruptAfter) !== undefined;
  }

  /** Remembers a stop before or after nodes, if there is one here that is not behind the run yet. */
  protected checkStops(done: Iterable<number>, next: Iterable<number>): void {
    const { interruptBefore, interruptAfter } = this.run.program.plan;
    if (!this.stopsAtNodes) return;
    this.#passed ??= new Set();
    for (const name of this.#stopsBehind) this.#passed.add(this.#nameOf(name));
    this.#stopsBehind = [];
    for (const name of this.#passed) if (!name.startsWith(this.#nameOf(""))) this.#passed.delete(name);
    const after = this.#hits(done, interruptAfter, "after");
    const before = this.#hits(next, interruptBefore, "before");
    if (before.length === 0 && after.length === 0) return;
    const { stop } = this;
    this.stop = {
      id: stop?.id ?? randomId(),
      before: [...(stop?.before ?? []), ...before],
      after: [...(stop?.after ?? []), ...after],
      answer: undefined,
    };
  }

  #hits(nodes: Iterable<number>, listed: ReadonlySet<number> | undefined, when: string): string[] {
    if (listed === undefined) return [];
    const keys = [...nodes].filter((node) => listed.has(node)).map((node) => this.run.program.keys[node] ?? "");
    return keys.filter((key) => this.#passed?.has(this.#nameOf(`${when}:${key}`)) !== true);
  }

  /** The stops of one step are not those of the next. */
  #nameOf(stop: string): string {
    return `${this.run.steps} ${stop}`;
  }

  protected indexOf(key: string): number {
    const index = this.run.program.keys.indexOf(key);
    if (index === -1) throw nodeIsGone([...this.run.nodePath, key]);
    return index;
  }

  // stopping

  /**
   * Waits for what runs, and reads the streams to their ends that somebody will need. Rejects with an ordinary error. Nothing,
   * when there is nothing to wait for.
   */
  settle(): Promise<void> | undefined {
    return this.tasks().every(hasCome) ? undefined : this.#settle();
  }

  async #settle(): Promise<void> {
    const executions = this.tasks().map(({ execution }) => execution);
    if (executions.some((execution) => execution !== undefined)) await Promise.all(executions);
    for (const task of this.tasks().toReversed()) {
      if (task.state !== "done" || task.isSettled || this.isUsedUp(task)) continue;
      const failure = await task.drain();
      for (const inner of task.ctx.openedVisit?.liveRuns() ?? []) await inner.settle();
      if (failure === undefined) continue;
      if (!this.run.isStop(failure.error)) throw this.run.blame(failure.error, task.index);
      await this.#stopped(task);
    }
  }
}

/** Whether nothing of it goes on. */
function hasCome({ execution, state, isSettled }: Task): boolean {
  return execution === undefined && (state !== "done" || isSettled);
}

function stoppedAt(task: Task): void {
  task.ctx.openedVisit?.settleAnswers();
  task.state = "stopped";
}

/** A node that streams has not begun before somebody reads. */
function isUnread(output: unknown): boolean {
  return output instanceof StreamReader;
}

/** Nothing behind the run is read any more. */
export const resultIsThere = "Stopped, because the run has its result.";
