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
import type { Run } from "../run.js";
import { InputJoining, oneChunk, RestoredJoining, rejoin } from "../streams/joining.js";
import type { Task } from "../task.js";
import { KeptStream } from "./kept-stream.js";

/** What of an output is kept: a value, or the chunks of a stream. */
interface Kept {
  readonly output: Slot | undefined;
  readonly chunks: readonly unknown[] | undefined;
  readonly unjoinable?: Slot | undefined;
}

/** A task that has ended, as it was saved last. */
interface Finished {
  readonly snapshot: TaskSnapshot;
  readonly isUsedUp: boolean;
  readonly targets: readonly number[] | undefined;
}

/** One task, with all that is needed to run it again, or not to. START is a task that has ended from the start. */
export class LedgerEntry {
  readonly task: Task;
  /** The tasks that take its output, once they have started. */
  readonly consumers: LedgerEntry[] = [];
  state: "running" | "ended" | "stopped" = "running";
  /** A save that has its whole output has begun. */
  isSaved = false;
  readonly #run: Run;
  #kept: Kept | undefined = undefined;
  #stream: KeptStream | undefined = undefined;
  /** What of its output is saved, once it has ended. */
  #output: Kept | undefined = undefined;
  #last: Finished | undefined = undefined;

  constructor(run: Run, task: Task) {
    this.#run = run;
    this.task = task;
  }

  /** Takes what the node gave; a stream is read through the ledger from now on. */
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

  /** Its failure is not handled after all: it is to run again. */
  reopen(): void {
    this.state = "running";
    this.#kept = undefined;
    this.#output = undefined;
    this.#last = undefined;
  }

  /** A stream that was cut off, or ended although its node asked something, is not what the nodes behind it wait for. */
  #checkEnd(): void {
    const { task } = this;
    this.#run.throwIfAborted();
    if (!task.hasStopped) return;
    const { environment } = this.#run;
    throw waitsAt(task.address, interruptsAt(task.invocation.snapshot(), environment.runKey), environment);
  }

  /** It has given everything. A node that streams has not as long as it may give more. */
  get isSettled(): boolean {
    return this.state === "ended" && (this.#stream === undefined || this.#stream.ended);
  }

  /** Calls back when its stream ends, if it streams. */
  whenSettled(listener: () => void): void {
    this.#stream?.whenEnded(listener);
  }

  get isStream(): boolean {
    return this.#stream !== undefined;
  }

  /** Whether everybody behind it has all that it needs of it. */
  get isUsedUp(): boolean {
    const { targets } = this.task;
    if (this.state !== "ended" || targets === undefined || targets.includes(END_INDEX)) return false;
    if (targets.length === 0) return this.isSettled;
    if (this.consumers.length < targets.length) return false;
    return this.consumers.every((consumer) => consumer.isSettled || consumer.isUsedUp);
  }

  /** Reads its stream to the end, if it streams; returns what it fails with. */
  async drain(): Promise<{ readonly error: unknown } | undefined> {
    await this.#stream?.drain();
    return this.#stream?.failure;
  }

  /** Its stream may stop: nobody needs the rest. */
  release(reason: unknown): void {
    this.#stream?.release(reason);
  }

  get invocations(): Invocation[] {
    const invocations = [this.isSettled ? undefined : this.task.openedInvocation, this.#openRoute];
    return invocations.filter((invocation) => invocation !== undefined);
  }

  /** What the branches behind it ask, until it is routed. */
  get #openRoute(): Invocation | undefined {
    return this.task.targets === undefined ? this.task.openedRoute?.openedInvocation : undefined;
  }

  /** A task that has not begun is made again from what is before it: then there is nothing to tell. */
  snapshot(): TaskSnapshot | undefined {
    const { isUsedUp } = this;
    const done = this.isSettled || isUsedUp;
    const route = this.#openRoute?.snapshot();
    if (done && route === undefined) return this.#finished(isUsedUp);
    const visit = done ? undefined : this.task.openedInvocation?.snapshot();
    if (!done && visit === undefined && route === undefined) return undefined;
    return this.#snapshot(done, done && !isUsedUp ? this.#keptOutput() : undefined, visit, route);
  }

  /** What has ended changes no more, except for what is known of its targets: it is the same object then. */
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
    visit: InvocationSnapshot | undefined,
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
      targets: done ? this.#openTargets?.map((target) => keys[target] ?? "") : undefined,
      visit,
      route,
    };
  }

  get #hasSteps(): boolean {
    return this.#run.program.plan.triggerMode === "anyPredecessor";
  }

  /** Where its output goes; without steps, only targets that are not done: those are not to be started again. */
  get #openTargets(): readonly number[] | undefined {
    const { targets } = this.task;
    if (this.#hasSteps) return targets;
    const done = this.consumers.filter((consumer) => consumer.isSettled || consumer.isUsedUp);
    const served = new Set(done.map(({ task }) => task.index));
    return targets?.filter((target) => !served.has(target));
  }

  /** A stream as its chunks where somebody takes chunks, otherwise as the value that they make. */
  #keptOutput(): Kept | undefined {
    const stream = this.#stream;
    if (stream === undefined) return this.#kept;
    const { chunks } = stream;
    if (this.#run.program.givesChunks(this.task.index) && this.#joining !== undefined)
      return { output: undefined, chunks };
    try {
      return { output: { value: stream.whole() }, chunks: undefined };
    } catch (error) {
      // for whoever needs the whole value
      return { output: undefined, chunks, unjoinable: this.#joining === undefined ? { value: error } : undefined };
    }
  }

  /** How its chunks join, if that can be told in another process too. */
  get #joining(): Joining | undefined {
    const { index } = this.task;
    const run = this.#run;
    if (index === START_INDEX) {
      const isPlain = this.#stream === undefined || this.#stream.joining?.rule === "pieces";
      return isPlain ? new InputJoining(undefined, run) : undefined;
    }
    const declared = run.program.joiningAt(index);
    return declared && new RestoredJoining(declared, run);
  }

  /** What an earlier execution remembers. */
  restore({ done, output, chunks, unjoinable, failed, targets, visit, route }: TaskSnapshot): void {
    const { task } = this;
    if (visit !== undefined) task.restoreInvocation(invocationOf(visit));
    if (route !== undefined) task.routeContext.restoreInvocation(invocationOf(route));
    if (!done) return;
    this.state = "ended";
    this.isSaved = true;
    this.#kept = { output, chunks, unjoinable };
    task.isOver = true;
    if (failed === true) task.failure = output?.value as NodeFailure;
    task.targets = targets?.map((key) => this.#run.program.keys.indexOf(key));
    const isStream = this.#run.mode === "transform";
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
