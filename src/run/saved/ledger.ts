import { isUnsaveable, nodeIsGone, unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { RunSnapshot, Slot, TaskSnapshot } from "../../checkpoint/document/snapshot.js";
import type { Journal } from "../../checkpoint/journal/journal.js";
import { type Part, partOfRun } from "../../checkpoint/pause/invocation.js";
import { END_INDEX, START_INDEX } from "../../compose/plan/plan.js";
import { isPromiseLike, isStream } from "../../is.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { Body } from "../body.js";
import type { Run } from "../run.js";
import { type RunLedger, resultIsThere } from "../run-parts.js";
import { oneChunk } from "../streams/joining.js";
import { type Delivery, Task } from "../task.js";
import { KeptStream, keptOrMade, settleKept } from "./kept-stream.js";
import { LedgerEntry } from "./ledger-entry.js";

/**
 * Records the tasks of a run that can be resumed: running ones, and ended ones while their output may still be needed. It also
 * knows the outcome of tasks from an earlier process, so that they do not run again.
 */
export class Ledger implements RunLedger {
  readonly #run: Run;
  /** The entries by step; a graph without steps has one list. */
  #steps: LedgerEntry[][] = [];
  /** The length at which the list of a graph without steps is swept next. */
  #sweepAt = 64;
  readonly #entries = new Map<Task, LedgerEntry>();
  /** The progress that an earlier process made in tasks that will start again. */
  #earlier: Map<string, TaskSnapshot> | undefined = undefined;
  #canBeSaved = false;
  /** The keys of the nodes around the run, each with a `/`. */
  #path: string | undefined = undefined;
  /** It began at START, not from finished tasks of a snapshot. */
  #isNew = false;

  constructor(run: Run) {
    this.#run = run;
    run.parentContext?.invocation.startInner(run.innerKey, run);
  }

  get #journal(): Journal | undefined {
    return this.#run.environment.journal;
  }

  get #isStepwise(): boolean {
    return this.#journal?.isStepwise === true;
  }

  // the beginning

  /** The finished tasks from which the run begins: START, or those of the snapshot's last finished step. */
  begin(input: unknown, from: RunSnapshot | undefined): Task[] {
    if (from === undefined) return [this.#start(input)];
    const { base, tasks, state } = from;
    const run = this.#run;
    const { program, stateCell } = run;
    if (state !== undefined && program.plan.state !== undefined && stateCell !== undefined)
      stateCell.value = state.value;
    const hasSteps = this.#hasSteps;
    const isBase = ({ step, done }: TaskSnapshot): boolean => (hasSteps ? step === base : done);
    for (const saved of tasks) {
      if (isBase(saved) || (hasSteps && saved.step < base)) continue;
      this.#earlier ??= new Map();
      this.#earlier.set(`${saved.step} ${saved.node}`, saved);
    }
    const start = base < 0 ? [this.#start(input)] : [];
    if (base < 0 && hasSteps) return start;
    const saved = tasks.filter(isBase);
    // without steps, used-up tasks are not saved, so a run in which no node can follow may have none left
    const isEmpty = hasSteps && saved.length === 0;
    if (isEmpty || !saved.every(({ done }) => done)) throw unreadableCheckpoint("it has no finished step");
    if (base > 0) run.goToStep(base);
    const done = new Set(saved.map(({ node }) => node));
    const restored = saved.map((snapshot) => {
      const entry = this.#add(new Task(run, this.#indexOf(snapshot.node)));
      const targets = hasSteps ? snapshot.targets : snapshot.targets?.filter((key) => !done.has(key));
      entry.restore({ ...snapshot, targets });
      return entry.task;
    });
    return [...start, ...restored];
  }

  get #hasSteps(): boolean {
    return this.#run.program.plan.triggerMode === "anyPredecessor";
  }

  #start(input: unknown): Task {
    this.#isNew = true;
    const task = new Task(this.#run, START_INDEX);
    task.output = input;
    const entry = this.#add(task);
    const earlier = this.#takeEarlier(task);
    if (earlier !== undefined) entry.restore(earlier);
    entry.end();
    return task;
  }

  /** Saves an input that was not saved with the claim; with `durability: "step"`, before the first node starts. */
  saveStart([start]: readonly Task[]): Promise<void> | undefined {
    const entry = start === undefined || !this.#isNew ? undefined : this.#entries.get(start);
    const journal = this.#journal;
    if (journal === undefined || this.#run.parentContext !== undefined || entry === undefined) return undefined;
    entry.isSaved = journal.isInputSaved && entry.isSettled;
    if (!this.#isStepwise) {
      if (journal.isInputSaved) return undefined;
      if (entry.isSettled) void journal.inputEnded();
      else entry.whenSettled(() => void journal.inputEnded());
      return undefined;
    }
    return entry.isSaved ? undefined : this.#saveInput(entry, journal);
  }

  async #saveInput(entry: LedgerEntry, journal: Journal): Promise<void> {
    const failure = await entry.drain();
    this.#run.throwIfAborted();
    if (failure !== undefined)
      throw this.#run.blame(await this.#run.openStreams.findOrigin(failure.error), START_INDEX);
    entry.isSaved = true;
    if (!journal.isInputSaved) await journal.inputEnded();
  }

  #indexOf(key: string): number {
    const index = this.#run.program.keys.indexOf(key);
    if (index === -1) throw nodeIsGone([...this.#run.nodePath, key]);
    return index;
  }

  // what happens to tasks

  #add(task: Task): LedgerEntry {
    const entry = new LedgerEntry(this.#run, task);
    this.#entries.set(task, entry);
    const last = this.#steps.at(-1);
    if (last !== undefined && (!this.#hasSteps || last[0]?.task.step === task.step)) {
      last.push(entry);
      if (!this.#hasSteps && last.length >= this.#sweepAt) this.#sweep(last);
    } else {
      this.#steps.push([entry]);
      this.#forget();
    }
    return entry;
  }

  /** Before a task starts: `"ended"` if its outcome is known, `"blocked"` if it still waits for an answer. */
  start(task: Task, inbox: readonly Delivery[]): "ended" | "blocked" | undefined {
    const entry = this.#add(task);
    for (const { source } of inbox) this.#entries.get(source)?.consumers.push(entry);
    const earlier = this.#takeEarlier(task);
    if (earlier === undefined) return undefined;
    entry.restore(earlier);
    if (entry.state === "ended") return "ended";
    if (task.openedInvocation?.isBlocked === true) {
      entry.state = "stopped";
      return "blocked";
    }
    task.openedInvocation?.begin();
    return undefined;
  }

  #takeEarlier({ index, step }: Task): TaskSnapshot | undefined {
    if (this.#earlier === undefined) return undefined;
    const name = `${step} ${this.#run.program.keys[index]}`;
    const earlier = this.#earlier.get(name);
    this.#earlier.delete(name);
    return earlier;
  }

  /** A task has its output. Returns a promise if it must be saved before anything follows. */
  ended(task: Task, isAlone: boolean): Promise<void> | undefined {
    const entry = this.#entries.get(task);
    if (entry === undefined) return undefined;
    entry.end();
    this.#noteRan(task, false);
    if (entry.isSettled) {
      entry.isSaved = true;
      // routed at once, unless others of its step are still running
      entry.isChoosing = this.#isStepwise && this.#hasBranches(task) && (isAlone || !this.#hasSteps);
      return entry.isChoosing ? undefined : this.#savedUnlessLast(task, this.#journal?.commit(isAlone));
    }
    // beside others, a node that does not feed END is saved as soon as its stream ends, not when the whole step has
    const targets = this.#run.program.routes[task.index]?.all ?? [];
    return !this.#isStepwise || isAlone || targets.includes(END_INDEX) ? undefined : this.#readAndSave(entry);
  }

  /** A result that cannot be saved is kept for nobody: the segment that it is for has it all the same. */
  #savedUnlessLast({ index }: Task, saving: Promise<void> | undefined): Promise<void> | undefined {
    const { environment, parentContext, program } = this.#run;
    if (saving === undefined || environment.journal?.isDriven !== true || parentContext !== undefined) return saving;
    const isLast = program.routes[index]?.all.every((target) => target === END_INDEX) === true;
    return isLast ? saving.catch(unlessUnsaveable) : saving;
  }

  failed(task: Task, handled: boolean): void {
    const entry = this.#entries.get(task);
    if (!handled) {
      entry?.reopen();
      return;
    }
    entry?.end();
    this.#noteRan(task, true);
  }

  /** For the history. */
  #noteRan({ index }: Task, hasFailed: boolean): void {
    const journal = this.#journal;
    if (journal?.keepsHistory !== true) return;
    this.#path ??= this.#run.nodePath.map((key) => `${key}/`).join("");
    journal.noteRan(`${this.#path}${this.#run.node(index).key}`, hasFailed);
  }

  endedLate(task: Task): void {
    const entry = this.#entries.get(task);
    if (entry === undefined) return;
    entry.end();
    if (entry.isSettled) return;
    // once END has its input, other streams run while the result is read, and may still ask something
    if (this.#run.aborted) entry.release(resultIsThere);
    else void entry.drain();
  }

  #hasBranches({ index }: Task): boolean {
    return (this.#run.program.routes[index]?.branches.length ?? 0) > 0;
  }

  /** The branches after a task have not chosen yet: if they take their time, or ask something, its output is saved meanwhile. */
  choosing(task: Task): Promise<void> | undefined {
    const entry = this.#entries.get(task);
    return entry?.isChoosing === true ? this.#saveUnlessChosen(entry) : undefined;
  }

  async #saveUnlessChosen(entry: LedgerEntry): Promise<void> {
    for (let n = 0; n < soon && entry.isChoosing; n++) await undefined;
    if (!entry.isChoosing) return;
    entry.isChoosing = false;
    await this.#journal?.commit();
  }

  /**
   * The targets of a task are known. With `durability: "step"`, what a branch has chosen is saved before a target starts, so
   * that it is not asked again; and a stream must end before it goes anywhere but to END.
   */
  routed(task: Task): Promise<void> | undefined {
    const entry = this.#entries.get(task);
    if (!this.#isStepwise || entry === undefined) return undefined;
    if (entry.isChoosing) {
      entry.isChoosing = false;
      return this.#journal?.commit(this.#hasSteps);
    }
    if (task.failure !== undefined) return this.#journal?.commit();
    if (task.targets?.every((target) => target === END_INDEX) === true) return undefined;
    if (entry.isStream && !entry.isSaved) return this.#readAndSave(entry);
    return this.#hasBranches(task) ? this.#journal?.commitChoice() : undefined;
  }

  async #readAndSave(entry: LedgerEntry): Promise<void> {
    const failure = await entry.drain();
    this.#run.throwIfAborted();
    if (failure !== undefined) throw failure.error;
    entry.isSaved = true;
    await this.#journal?.commit();
  }

  /** A task waits for an answer. */
  stopped(task: Task): void {
    const entry = this.#entries.get(task);
    if (entry !== undefined) entry.state = "stopped";
  }

  prepare(before: Body, input: unknown, task: Task): unknown {
    return keptOrMade("prepared", before, input, task);
  }

  /** The mapped input of a node. It is kept as a value, which a run on streams turns back into a reader. */
  prepareMapped(join: Body, task: Task): unknown {
    const input = keptOrMade("prepared", join, undefined, task);
    if (this.#run.mode !== "transform" || isPromiseLike(input) || isStream(input)) return input;
    return oneChunk(input, undefined);
  }

  produce(node: Body, input: unknown, task: Task): unknown {
    return keptOrMade("produced", node, input, task);
  }

  /** Waits for what an invocation has started; `undefined` if all of it has settled. */
  settleInvocation(task: Task): Promise<void> | undefined {
    const settling = task.settle();
    const invocation = task.openedInvocation;
    const isSettled = settling === undefined && invocation?.keptStreams === undefined;
    return isSettled && invocation?.hasLiveRuns !== true ? undefined : settleKept(invocation, settling);
  }

  /**
   * Stores the result of a child run with its parent, which may be entered again. (Not that of a nested graph: its progress
   * stays until its node has ended, as the run may be aborted in between.)
   */
  keepResult(result: unknown): unknown {
    const run = this.#run;
    const { parentContext } = run;
    if (parentContext === undefined || run.nested) return result;
    if (!(result instanceof StreamReader) || run.mode === "invoke") {
      parentContext.invocation.finishInner(run.innerKey, { value: result });
      return result;
    }
    const kept = new KeptStream(result);
    run.onStreamEnd = () => parentContext.invocation.finishInner(run.innerKey, slotOf(kept));
    return kept.read();
  }

  // what is kept

  /** Drops steps whose outputs are no longer needed. */
  #forget(): void {
    const steps = this.#steps;
    while (steps.length > 2 && this.#isOver(0) && this.#isOver(1)) {
      for (const entry of steps.shift() ?? []) {
        entry.release(resultIsThere);
        this.#entries.delete(entry.task);
      }
    }
  }

  /** Without steps: drops tasks whose outputs are no longer needed. Rare enough that each task is visited a few times only. */
  #sweep(entries: readonly LedgerEntry[]): void {
    if (!this.canBeSaved) return;
    const live = [...this.#needed(entries)];
    const kept = new Set(live);
    for (const entry of entries) {
      if (kept.has(entry)) continue;
      entry.release(resultIsThere);
      this.#entries.delete(entry.task);
    }
    this.#steps = [live];
    this.#sweepAt = Math.max(64, 2 * live.length);
  }

  /**
   * Without steps: the tasks that a resume needs to know of. One that has ended, and whose output is used up, is among them as
   * long as a source of it is open: a stream that is still being read begins again after a resume, and would start it again.
   */
  #needed(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
    const needed = entries.filter((entry) => !entry.isUsedUp);
    if (needed.length === entries.length) return entries;
    const { keys, sources } = this.#run.program;
    const open = new Set(needed.filter((entry) => !entry.isSettled).map(({ task }) => task.index));
    for (const { node, done } of this.#earlier?.values() ?? []) if (!done) open.add(keys.indexOf(node));
    const isOpen = (source: number): boolean => open.has(source);
    if (open.size === 0) return needed;
    return entries.filter((entry) => !entry.isUsedUp || sources[entry.task.index]?.some(isOpen) === true);
  }

  #isOver(position: number): boolean {
    const step = this.#steps[position] ?? [];
    return step.every((entry) => entry.task.targets !== undefined && (entry.isSettled || entry.isUsedUp));
  }

  /** False until an input stream has been read to its end. */
  get canBeSaved(): boolean {
    this.#canBeSaved ||= this.#isStartDone();
    return this.#canBeSaved;
  }

  #isStartDone(): boolean {
    const [first] = this.#steps[0] ?? [];
    if (first === undefined) return false;
    return first.task.index !== START_INDEX || first.isSettled || first.isUsedUp;
  }

  get part(): Part {
    const invocations = this.#steps.flatMap((step) => step.flatMap((entry) => entry.invocations));
    return partOfRun(invocations, this.#run.stops?.stop);
  }

  snapshot(): RunSnapshot {
    const run = this.#run;
    const steps = this.#steps;
    const hasSteps = this.#hasSteps;
    let base = this.canBeSaved ? 0 : -1;
    while (hasSteps && base >= 0 && base + 1 < steps.length && this.#isOver(base + 1)) base++;
    const tasks: TaskSnapshot[] = [];
    for (const step of base > 0 ? steps.slice(base) : steps) {
      for (const entry of hasSteps ? step : this.#needed(step)) {
        const snapshot = entry.snapshot();
        if (snapshot !== undefined) tasks.push(snapshot);
      }
    }
    if (this.#earlier !== undefined) tasks.push(...this.#earlier.values());
    return {
      address: run.address,
      base: steps[base]?.[0]?.task.step ?? -1,
      state: run.program.plan.state === undefined ? undefined : { value: run.ownState },
      tasks,
      stop: run.stops?.stop,
      passed: run.stops?.passed ?? [],
      chain: run.program.chain,
    };
  }

  /**
   * Waits for running tasks, and reads streams that are still needed to their ends; `undefined` if there is nothing to wait
   * for. Rejects if one of them fails.
   */
  settle(): Promise<void> | undefined {
    const isSettled = this.#steps.every((step) =>
      step.every(({ state, isSettled }) => isSettled || state === "stopped"),
    );
    return isSettled ? undefined : this.#settle();
  }

  async #settle(): Promise<void> {
    const run = this.#run;
    await run.scheduler?.idle();
    // its result has been read, and the rest was stopped: nothing of it is needed
    if (run.hasEnded) return;
    for (const entry of this.#steps.flat().reverse()) {
      if (entry.state !== "ended" || entry.isSettled || entry.isUsedUp) continue;
      const failure = await entry.drain();
      const { task } = entry;
      for (const inner of task.openedInvocation?.liveRuns() ?? []) await inner.settle();
      if (failure === undefined) continue;
      if (!run.isStop(failure.error)) throw run.blame(await run.openStreams.findOrigin(failure.error), task.index);
      await this.settleInvocation(task);
      task.openedInvocation?.settleAnswers();
      entry.state = "stopped";
    }
  }
}

function unlessUnsaveable(error: unknown): void {
  if (!isUnsaveable(error)) throw error;
}

/** How many microtasks a branch may take to choose before the output is saved without its choice: reading a value as a stream takes some. */
const soon = 24;

/** The result to store; `undefined` if its chunks cannot be joined: then a resume runs the child again. */
function slotOf(kept: KeptStream): Slot | undefined {
  try {
    return { value: kept.whole() };
  } catch {
    return undefined;
  }
}
