import { waitsAt } from "../../checkpoint/interrupt.js";
import { interruptsAt } from "../../checkpoint/interrupts-of.js";
import type { Slot, TaskSnapshot, VisitSnapshot } from "../../checkpoint/snapshot.js";
import { Visit } from "../../checkpoint/visit.js";
import { END_INDEX } from "../../compose/plan/plan.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { withKey } from "../flow.js";
import { isRecord } from "../merge.js";
import { oneChunk } from "../node-stream.js";
import type { Run } from "../run.js";
import { TaskContext } from "../task-context.js";
import { KeptStream } from "./kept-stream.js";

/** One node in one step, with all that is needed to run it again, or not to. START is a task that was done from the start. */
export class Task {
  readonly run: Run;
  readonly index: number;
  readonly step: number;
  readonly ctx: TaskContext;
  state: "ready" | "running" | "done" | "stopped" = "ready";
  /** Its execution, as long as it goes on. */
  execution: Promise<void> | undefined = undefined;
  /** For the node; let go of when it runs. */
  input: unknown = undefined;
  /** For the nodes behind it: a value, or a reader. */
  output: unknown = undefined;
  targets: readonly number[] | undefined = undefined;
  /** A save that knows its whole output has begun. */
  isSaved = false;
  #value: Slot | undefined = undefined;
  #kept: KeptStream | undefined = undefined;
  #routeContext: TaskContext | undefined = undefined;

  constructor(run: Run, index: number, saved?: TaskSnapshot) {
    this.run = run;
    this.index = index;
    this.ctx = new TaskContext(run, index);
    this.step = this.ctx.step;
    if (saved !== undefined) this.#restore(saved);
  }

  /** Takes what the node gave. */
  finish(output: unknown): void {
    this.state = "done";
    if (output instanceof StreamReader && this.run.mode !== "invoke") {
      this.#kept = new KeptStream(output, () => this.#checkStop());
      this.output = this.#kept.reader;
    } else {
      this.#value = { value: output };
      this.output = output;
    }
  }

  /** A stream that was cut off, or ended although its node asked something, is not what the nodes behind it wait for. */
  #checkStop(): void {
    this.run.throwIfAborted();
    if (this.ctx.openedVisit?.hasStopped !== true) return;
    throw waitsAt(this.ctx.address, interruptsAt(this.ctx.visit.snapshot(), this.run.environment.runKey));
  }

  /** It waits, and nobody has answered anything in it. */
  get isBlocked(): boolean {
    return this.state === "ready" && this.ctx.openedVisit?.isBlocked === true;
  }

  /** The place of the branches behind it. */
  get routeContext(): TaskContext {
    this.#routeContext ??= new TaskContext(this.run, this.index);
    return this.#routeContext;
  }

  get visits(): Visit[] {
    const visits = [this.isSettled ? undefined : this.ctx.openedVisit, this.openedRoute];
    return visits.filter((visit) => visit !== undefined);
  }

  get openedRoute(): Visit | undefined {
    return this.targets === undefined ? this.#routeContext?.openedVisit : undefined;
  }

  /** It has given everything. A node that streams has not as long as it may give more. */
  get isSettled(): boolean {
    return this.state === "done" && (this.#kept === undefined || this.#kept.ended);
  }

  get feedsEnd(): boolean {
    return this.targets?.includes(END_INDEX) === true;
  }

  /** Reads its stream to the end, if it streams. Gives what it fails with. */
  async drain(): Promise<{ readonly error: unknown } | undefined> {
    await this.#kept?.drain();
    return this.#kept?.failure;
  }

  /** Its stream may stop: nobody needs the rest. */
  release(reason: unknown): void {
    this.#kept?.release(reason);
  }

  /** Its output as a value. */
  get whole(): Slot | undefined {
    return this.#kept === undefined ? this.#value : { value: this.#kept.whole() };
  }

  /** As the nodes behind it get it: values go without their output key until somebody joins them. */
  get #named(): Slot | undefined {
    const { run, whole } = this;
    return whole === undefined || run.mode !== "invoke" ? whole : { value: withKey(run, this.index, whole.value) };
  }

  /** `done`: it does not run again. `isNeeded`: somebody behind it may still run. */
  snapshot(done: boolean, isNeeded: boolean): TaskSnapshot {
    const { run, index, step, targets } = this;
    return {
      node: run.program.keys[index] ?? "",
      kind: run.node(index).component,
      step,
      done,
      output: done && isNeeded ? this.#named : undefined,
      targets: done ? targets?.map((target) => run.program.keys[target] ?? "") : undefined,
      visit: done ? undefined : this.ctx.openedVisit?.snapshot(),
      route: this.openedRoute?.snapshot(),
    };
  }

  #restore({ done, output, targets, visit, route }: TaskSnapshot): void {
    if (visit !== undefined) this.ctx.restoreVisit(visitOf(visit));
    if (route !== undefined) this.routeContext.restoreVisit(visitOf(route));
    if (!done) return;
    this.state = "done";
    const { run } = this;
    const key = run.program.outputKeys[this.index];
    const isBare = key === undefined || run.mode !== "invoke" || !isRecord(output?.value);
    this.#value = isBare ? output : { value: output.value[key] };
    this.output = run.mode === "transform" ? oneChunk(output?.value, undefined) : this.#value?.value;
    this.targets = targets?.map((key) => this.run.program.keys.indexOf(key));
  }
}

function visitOf(saved: VisitSnapshot): Visit {
  return new Visit(saved.address, saved);
}
