import type { RunInfo } from "../callbacks/run-info.js";
import type { Watch } from "../callbacks/watch.js";
import type { Watchers } from "../callbacks/watchers.js";
import type { Journal } from "../checkpoint/journal.js";
import { END_INDEX, type PlanNode } from "../compose/plan/plan.js";
import type { Runtime } from "../compose/runtime.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Body } from "./body.js";
import { drive, rejectStopped } from "./drive.js";
import type { Environment } from "./environment.js";
import type { CallOptions } from "./place-context.js";
import type { Program } from "./program.js";
import { RootRun } from "./root-run.js";
import type { Scope } from "./scope.js";
import type { StateCell } from "./state-cell.js";
import { TaskContext, type TaskOwner, type TaskStream } from "./task-context.js";

/** The node of a program that has no other. */
const LONE_INDEX = END_INDEX + 1;

/**
 * Runs a node by itself, for a value, with nobody watching: a lambda or a tools node, called with no options. Nothing outside
 * can stop it, so a run is made only when the node asks for something of it, or when it does not end well.
 */
export function invokeAlone(program: Program, input: unknown): Promise<unknown> {
  try {
    return Promise.resolve(run(program, input));
  } catch (error) {
    return Promise.reject(error);
  }
}

function run(program: Program, input: unknown): unknown {
  const lone = new LoneRun(program);
  const body = program.bodies("invoke", false)[LONE_INDEX] as Body;
  let output: unknown;
  try {
    output = body(input, new TaskContext(lone, LONE_INDEX));
  } catch (error) {
    if (lone.made?.stopped === undefined) throw lone.run.fail(error);
    return rejectStopped(lone.run, error);
  }
  if (!(output instanceof Promise)) return isPromiseLike(output) ? lone.drive(output) : lone.finish(output);
  return output.then(
    (ready) => lone.finish(ready),
    (error) => rejectStopped(lone.run, error),
  );
}

/** Stands for a run with one node until somebody needs that run. */
class LoneRun implements TaskOwner {
  made: RootRun | undefined = undefined;
  private readonly program: Program;

  constructor(program: Program) {
    this.program = program;
  }

  /** Made as it would be now if it had been there from the start. */
  get run(): RootRun {
    if (this.made === undefined) {
      this.made = RootRun.prepare(this.program, "invoke", undefined);
      this.made.at = LONE_INDEX;
      this.made.steps = this.steps;
    }
    return this.made;
  }

  /** The node has given this: a value, or a stream that is to be read. */
  finish(output: unknown): unknown {
    const { made } = this;
    if (isStream(output) || made?.halted === true) return this.drive(output);
    return made === undefined ? output : made.complete(output);
  }

  drive(output: unknown): Promise<unknown> {
    this.run.pending = output;
    return drive(this.run);
  }

  get steps(): number {
    return 1;
  }

  get runtime(): Runtime {
    return this.program.plan.runtime;
  }

  get openedScope(): Scope | undefined {
    return this.made;
  }

  get scope(): Scope {
    return this.run;
  }

  get environment(): Environment {
    return this.run.environment;
  }

  get journal(): Journal | undefined {
    return undefined;
  }

  get stateCell(): StateCell | undefined {
    return this.made?.stateCell;
  }

  get callOptions(): CallOptions {
    return this.run.callOptions;
  }

  get visitPath(): string {
    return "";
  }

  get tracker(): undefined {
    return undefined;
  }

  get nodePath(): readonly string[] {
    return this.run.nodePath;
  }

  get ownState(): unknown {
    return undefined;
  }

  get recordAround(): RunInfo | undefined {
    return undefined;
  }

  get watchAround(): Watch | undefined {
    return undefined;
  }

  noteStop(task: TaskContext): void {
    this.run.noteStop(task);
  }

  node(index: number): PlanNode {
    return this.program.plan.nodes[index] as PlanNode;
  }

  addressOf(index: number): string {
    return this.run.addressOf(index);
  }

  optionsOf(_index: number): object | undefined {
    return undefined;
  }

  watchersOf(_index: number): Watchers | undefined {
    return undefined;
  }

  useState(use: (state: unknown) => unknown): unknown {
    return this.run.useState(use);
  }

  blame(error: unknown, index: number): unknown {
    return this.run.blame(error, index);
  }

  findOrigin(error: unknown): Promise<unknown> {
    return this.run.findOrigin(error);
  }

  addStream(stream: TaskStream): void {
    this.run.addStream(stream);
  }

  leaveRest(): void {
    this.run.leaveRest();
  }

  cancelStreams(reason: unknown, within: Scope): void {
    this.run.cancelStreams(reason, within);
  }
}
