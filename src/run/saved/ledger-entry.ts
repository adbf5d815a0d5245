import type { InvocationSnapshot, Slot, TaskSnapshot } from "../../checkpoint/document/snapshot.js";
import { waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import { Invocation } from "../../checkpoint/pause/invocation.js";
import type { NodeFailure } from "../../components/policies.js";
import { END_INDEX, START_INDEX } from "../../compose/plan/plan.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { keepLocated } from "../failure.js";
import { unusedAnswerOf } from "../questions.js";
import type { Run } from "../run.js";
import { oneChunk, rejoin, StreamJoining } from "../streams/joining.js";
import { givesChunks, joiningAt } from "../streams/stream-ports.js";
import type { Task } from "../task.js";
import { KeptStream } from "./kept-stream.js";

/** A kept output: a value, or the chunks of a stream. */
interface Kept {
  readonly output: Slot | undefined;
  readonly chunks: readonly unknown[] | undefined;
  readonly unjoinable?: Slot | undefined;
}

/** The last snapshot of an ended task, and what it was taken from. */
interface Finished {
  readonly snapshot: TaskSnapshot;
  readonly isUsedUp: boolean;
  readonly targets: readonly number[] | undefined;
}

/** One task in the ledger: how far it has come, and its output while that may be needed. START is a task that has ended. */
export class LedgerEntry {
  readonly task: Task;
  /** The tasks that take its output, once they have started. */
  readonly consumers: LedgerEntry[] = [];
  state: "running" | "ended" | "stopped" = "running";
  /** A save that contains its whole output has begun. */
  isSaved = false;
  /** Its output is to be saved together with what its branches choose. */
  isChoosing = false;
  /** It repeats what it has written to a state, and that has been reported. */
  #hasReportedState = false;
  readonly #run: Run;
  #kept: Kept | undefined = undefined;
  #stream: KeptStream | undefined = undefined;
  /** Its output as it is saved, once it has ended. */
  #output: Kept | undefined = undefined;
  #last: Finished | undefined = undefined;

  constructor(run: Run, task: Task) {
    this.#run = run;
    this.task = task;
  }

  /** Records the output of the task; a stream is read through the ledger from now on. */
  end(): void {
    const { task } = this;
    const { output, failure } = task;
    this.state = "ended";
    if (failure !== undefined) this.#kept = { output: { value: failure }, chunks: undefined };
    else if (output instanceof StreamReader && this.#run.mode !== "invoke") {
      this.#stream = new KeptStream(output, this.#checkEnd.bind(this));
      task.output = this.#stream.read();
    } else {
      this.#kept = { output: { value: output }, chunks: undefined };
    }
  }

  /** The error branch did not handle its failure: a resume runs it again. */
  reopen(): void {
    this.state = "running";
    this.#kept = undefined;
    this.#output = undefined;
    this.#last = undefined;
  }

  /** Throws at the end of a stream that is not complete: the run was aborted, or the node has asked something. */
  #checkEnd(): void {
    const { task } = this;
    this.#run.throwIfAborted();
    if (!task.hasStopped) {
      const unused = task.tried?.fellBack === true ? undefined : unusedAnswerOf(task);
      if (unused !== undefined) throw this.#run.blame(unused, task.index);
      return;
    }
    const { environment } = this.#run;
    throw waitsAt(task.address, interruptsAt(task.invocation.snapshot(), environment.runKey), environment);
  }

  /** Its output is complete: if it is a stream, that has ended. */
  get isSettled(): boolean {
    return this.state === "ended" && (this.#stream === undefined || this.#stream.ended);
  }

  /** Calls back when its stream ends, if it has one. */
  whenSettled(listener: () => void): void {
    this.#stream?.whenEnded(listener);
  }

  get isStream(): boolean {
    return this.#stream !== undefined;
  }

  /** Whether all its targets have finished with its output. */
  get isUsedUp(): boolean {
    const { targets } = this.task;
    if (this.state !== "ended" || targets === undefined || targets.includes(END_INDEX)) return false;
    if (targets.length === 0) return this.isSettled;
    if (this.consumers.length < targets.length) return false;
    return this.consumers.every((consumer) => consumer.isSettled || consumer.isUsedUp);
  }

  /** Reads its stream to the end, if it has one; resolves to the failure of the stream. */
  async drain(): Promise<{ readonly error: unknown } | undefined> {
    await this.#stream?.drain();
    return this.#stream?.failure;
  }

  /** Cancels its stream: the rest is not needed. */
  release(reason: unknown): void {
    this.#stream?.release(reason);
  }

  get invocations(): Invocation[] {
    const invocations = [this.isSettled ? undefined : this.task.openedInvocation, this.#openRoute];
    return invocations.filter((invocation) => invocation !== undefined);
  }

  /** The invocation of the branches after it, until it is routed. */
  get #openRoute(): Invocation | undefined {
    return this.task.targets === undefined ? this.task.openedRoute?.openedInvocation : undefined;
  }

  /** `undefined` for a task without progress: a resume starts it again from the tasks before it. */
  snapshot(): TaskSnapshot | undefined {
    const { isUsedUp } = this;
    const done = this.isSettled || isUsedUp;
    const route = this.#openRoute?.snapshot();
    if (done && route === undefined) return this.#finished(isUsedUp);
    const own = done ? undefined : this.task.openedInvocation?.snapshot();
    const keepsState = done ? undefined : this.#keepsState;
    if (!done && (own ?? route ?? this.#choice ?? keepsState) === undefined) return undefined;
    return this.#snapshot(done, done && !isUsedUp ? this.#keptOutput() : undefined, own, route);
  }

  /** An ended task changes only when it is routed or used up; otherwise this returns the same object. */
  #finished(isUsedUp: boolean): TaskSnapshot {
    const last = this.#last;
    const isSame = last !== undefined && last.isUsedUp === isUsedUp && last.targets === this.task.targets;
    if (isSame && (last.targets === undefined || this.#hasSteps)) return last.snapshot;
    const snapshot = this.#snapshot(
      true,
      isUsedUp ? undefined : (this.#output ?? this.#keptOutput()),
      undefined,
      undefined,
    );
    this.#last = { snapshot, isUsedUp, targets: this.task.targets };
    return snapshot;
  }

  #snapshot(
    done: boolean,
    kept: Kept | undefined,
    own: InvocationSnapshot | undefined,
    route: InvocationSnapshot | undefined,
  ): TaskSnapshot {
    const { index, step } = this.task;
    const { keys } = this.#run.program;
    if (done && kept !== undefined) this.#output = kept;
    return {
      node: keys[index] ?? "",
      kind: this.#run.node(index).component,
      step,
      done,
      output: kept?.output,
      chunks: kept?.chunks,
      unjoinable: kept?.unjoinable,
      failed: kept !== undefined && this.task.failure !== undefined ? true : undefined,
      targets: (done ? this.#openTargets : this.#choice)?.map((target) => keys[target] ?? ""),
      keepsState: done ? undefined : this.#keepsState,
      visit: own,
      route,
    };
  }

  /** Whether it has changed a state, and will do so again: `false` once that has been reported. */
  get #keepsState(): boolean | undefined {
    if (this.#hasReportedState) return false;
    return this.task.hasChangedState ? true : undefined;
  }

  get #hasSteps(): boolean {
    return this.#run.program.plan.triggerMode === "anyPredecessor";
  }

  /**
   * The choice of its branches, if nodes act upon that while its stream goes on: when a resume runs it again, they are not
   * asked again.
   */
  get #choice(): readonly number[] | undefined {
    const { index, targets } = this.task;
    if (targets === undefined || (this.#run.program.routes[index]?.branches.length ?? 0) === 0) return undefined;
    return this.#hasSteps && this.consumers.length === 0 ? undefined : targets;
  }

  /** Where its output goes; without steps, without targets that have finished, which a resume must not start again. */
  get #openTargets(): readonly number[] | undefined {
    const { targets } = this.task;
    if (this.#hasSteps) return targets;
    const done = this.consumers.filter((consumer) => consumer.isSettled || consumer.isUsedUp);
    const served = new Set(done.map(({ task }) => task.index));
    return targets?.filter((target) => !served.has(target));
  }

  /** A stream as its chunks, if it has a reader that takes chunks; otherwise as the joined value. */
  #keptOutput(): Kept | undefined {
    const stream = this.#stream;
    if (stream === undefined) return this.#kept;
    const { chunks } = stream;
    if (givesChunks(this.#run.program, this.task.index) && this.#joining !== undefined)
      return { output: undefined, chunks };
    try {
      return { output: { value: stream.whole() }, chunks: undefined };
    } catch (error) {
      // a node that needs the joined value fails with this error after a resume too
      return { output: undefined, chunks, unjoinable: this.#joining === undefined ? { value: error } : undefined };
    }
  }

  /** How its chunks join, if another process can know that too. */
  get #joining(): Joining | undefined {
    const { index } = this.task;
    const run = this.#run;
    if (index === START_INDEX) {
      const isPlain = this.#stream === undefined || this.#stream.joining?.rule === "pieces";
      return isPlain ? StreamJoining.ofInput(undefined, run) : undefined;
    }
    const declared = joiningAt(run.program, index);
    return declared && StreamJoining.ofSaved(declared, run);
  }

  /** Restores the task from an earlier execution. */
  restore({ done, output, chunks, unjoinable, failed, targets, keepsState, visit, route }: TaskSnapshot): void {
    const { task } = this;
    if (keepsState === true) task.keepsState = true;
    this.#hasReportedState = keepsState !== undefined;
    if (visit !== undefined) task.restoreInvocation(invocationOf(visit));
    if (route !== undefined) task.routeContext.restoreInvocation(invocationOf(route));
    task.targets = targets?.map((key) => this.#run.program.keys.indexOf(key));
    if (!done) return;
    this.state = "ended";
    this.isSaved = true;
    this.#kept = { output, chunks, unjoinable };
    task.isOver = true;
    if (failed === true) task.failure = output?.value as NodeFailure;
    const { mode } = this.#run;
    // a bare node makes a stream of a value
    const isStream = mode === "transform" || (mode === "stream" && task.index !== START_INDEX);
    if (chunks === undefined) task.output = isStream ? oneChunk(output?.value, undefined) : output?.value;
    else {
      const joining = unjoinable === undefined ? this.#joining : this.#refusing(unjoinable.value);
      task.output = isStream ? rejoin(StreamReader.from(chunks), joining) : joinChunks(chunks, joining);
    }
  }

  #refusing(error: unknown): Joining {
    const refuse = (): never => {
      throw error;
    };
    keepLocated(error, this.#run.environment.root);
    return { rule: { keyed: new Map(), whole: refuse } };
  }
}

function invocationOf(saved: InvocationSnapshot): Invocation {
  return new Invocation(saved.address, saved);
}
