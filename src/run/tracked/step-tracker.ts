import { unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { RunSnapshot, TaskSnapshot } from "../../checkpoint/snapshot.js";
import { END_INDEX } from "../../compose/plan/plan.js";
import { isPromiseLike } from "../async.js";
import { noNextNode } from "../errors.js";
import { drop, join, split } from "../flow.js";
import { namesOf } from "../route.js";
import { stepLimit } from "../supersteps.js";
import { Task } from "./task.js";
import { resultIsThere, Tracker } from "./tracker.js";

/** What one node gets in the next step. */
interface Delivery {
  readonly target: number;
  readonly sources: number[];
  readonly values: unknown[];
}

/** The tracker of `anyPredecessor` graphs: step by step. A step is over when all of its nodes have ended. */
export class StepTracker extends Tracker {
  /** The tasks of each step of which account is still kept; the last one is the step that runs. */
  #levels: Task[][] = [];
  /** What a former run did in steps that come again. */
  #former: Map<string, TaskSnapshot> | undefined = undefined;

  /** One async function for all of it. */
  override async start(input: unknown, from?: RunSnapshot): Promise<unknown> {
    let error: unknown;
    try {
      if (from !== undefined) this.#restore(from);
      if (this.#levels.length === 0) {
        const start = this.startTask(input);
        this.#levels = [[start]];
        const saving = this.saveStart(start);
        if (saving !== undefined) await saving;
      }
      for (;;) {
        const level = this.#levels.at(-1) ?? [];
        const running = this.#runLevel(level);
        if (running !== undefined) await running;
        this.run.throwIfAborted();
        if (level.some(isNotDone)) {
          error = this.halted(); // what is thrown costs more than what is said
          break;
        }
        const next = this.#routeLevel(level);
        const deliveries = next instanceof Promise ? await next : next;
        const end = this.#endOf(level, deliveries);
        if (end !== undefined) {
          const result = this.#finish(end, deliveries);
          const completed = this.completed(isPromiseLike(result) ? await result : result);
          return isPromiseLike(completed) ? await completed : completed;
        }
        this.#next(deliveries);
        this.#forget();
      }
    } catch (thrown) {
      error = thrown;
    }
    const failure = this.end(error);
    throw failure instanceof Promise ? await failure : failure;
  }

  #restore(from: RunSnapshot): void {
    this.takeOver(from);
    const { base, tasks } = from;
    for (const saved of tasks) {
      if (saved.step <= base) continue;
      this.#former ??= new Map();
      this.#former.set(`${saved.step} ${saved.node}`, saved);
    }
    if (base < 0) return;
    const level = tasks.filter(({ step }) => step === base);
    if (level.length === 0 || !level.every(({ done }) => done)) throw unreadableCheckpoint("it has no finished step");
    this.run.steps = base;
    this.#levels = [level.map((saved) => new Task(this.run, this.indexOf(saved.node), saved))];
  }

  protected override tasks(): readonly Task[] {
    const tasks: Task[] = [];
    for (const level of this.#levels) for (const task of level) tasks.push(task);
    return tasks;
  }

  /** What a step that has run hands on. */
  #routeLevel(level: readonly Task[]): readonly Delivery[] | Promise<readonly Delivery[]> {
    for (let n = 0; n < level.length; n++) {
      const routing = this.route(level[n] as Task);
      if (routing !== undefined) return this.#routeRest(level, n + 1, routing);
    }
    return this.#deliver(level);
  }

  async #routeRest(level: readonly Task[], rest: number, routing: Promise<void>): Promise<readonly Delivery[]> {
    await routing;
    for (const task of level.slice(rest)) await this.route(task);
    return this.#deliver(level);
  }

  /** What END gets, if the run has come there. */
  #endOf(level: readonly Task[], deliveries: readonly Delivery[]): Delivery | undefined {
    if (this.stopsAtNodes) this.checkStops(level.map(indexOf), deliveries.map(targetOf));
    const end = deliveries.find(isForEnd);
    if (this.stop !== undefined || this.run.halted || (end === undefined && this.isHalted)) throw this.halted();
    return end;
  }

  #runLevel(level: readonly Task[]): Promise<unknown> | undefined {
    const [first] = level;
    if (first !== undefined && level.length === 1) return canRun(first) ? this.launch(first, first.input) : undefined;
    const able = level.filter(canRun);
    const [only] = able;
    if (only !== undefined && able.length === 1) return this.launch(only, only.input);
    return Promise.all(able.map((task) => this.launchBeside(task)));
  }

  #deliver(level: readonly Task[]): readonly Delivery[] {
    const { run } = this;
    const deliveries: Delivery[] = [];
    const byTarget = level.length === 1 ? undefined : new Map<number, Delivery>();
    for (const { index, output, targets = [] } of level) {
      if (targets.length === 0) {
        drop(run, output);
        continue;
      }
      const parts = split(run, output, targets.length);
      for (let n = 0; n < targets.length; n++) {
        const target = targets[n] as number;
        const delivery = byTarget?.get(target);
        if (delivery === undefined) {
          const first = { target, sources: [index], values: [parts[n]] };
          deliveries.push(first);
          byTarget?.set(target, first);
        } else {
          delivery.sources.push(index);
          delivery.values.push(parts[n]);
        }
      }
    }
    if (deliveries.length > 0) return deliveries;
    run.at = 0;
    throw noNextNode(run.nodePath, namesOf(run, level.map(indexOf)));
  }

  #next(deliveries: readonly Delivery[]): void {
    const { run } = this;
    const sorted = deliveries.length === 1 ? deliveries : deliveries.toSorted((a, b) => a.target - b.target);
    if (run.steps >= run.maxSteps) throw stepLimit(run, sorted.map(targetOf));
    run.steps += 1;
    this.#levels.push(sorted.map((delivery) => this.#task(delivery)));
  }

  #task({ target: node, sources, values }: Delivery): Task {
    const { run } = this;
    const task = new Task(run, node, this.#takeFormer(node));
    run.at = node;
    if (task.state === "done" || task.isBlocked) for (const value of values) drop(run, value);
    else task.input = join(run, node, sources, values);
    if (task.input instanceof Promise) task.input.then(undefined, ignore);
    return task;
  }

  /** What a former run did here. */
  #takeFormer(node: number): TaskSnapshot | undefined {
    if (this.#former === undefined) return undefined;
    const name = `${this.run.steps} ${this.run.program.keys[node]}`;
    const former = this.#former.get(name);
    this.#former.delete(name);
    return former;
  }

  #finish({ sources, values }: Delivery, deliveries: readonly Delivery[]): unknown {
    const { run } = this;
    for (const other of deliveries) {
      if (other.target !== END_INDEX) for (const value of other.values) drop(run, value);
    }
    run.at = END_INDEX;
    return join(run, END_INDEX, sources, values);
  }

  /** Steps that are over, and whose outputs nobody needs any more. */
  #forget(): void {
    const levels = this.#levels;
    while (levels.length > 2 && this.#isOver(0) && this.#isOver(1)) {
      for (const task of levels.shift() ?? []) task.release(resultIsThere);
    }
  }

  #isOver(position: number): boolean {
    const level = this.#levels[position] ?? [];
    return level.every((task) => task.targets !== undefined && (task.isSettled || this.isUsedUp(task)));
  }

  protected override isUsedUp(task: Task): boolean {
    if (task.state !== "done" || task.targets === undefined || task.feedsEnd) return false;
    const behind = this.#levels[this.#levels.findIndex((level) => level.includes(task)) + 1];
    if (behind === undefined) return task.targets.length === 0;
    const consumers = behind.filter(({ index }) => task.targets?.includes(index));
    return consumers.every((consumer) => consumer.isSettled || this.isUsedUp(consumer));
  }

  protected override get isAlone(): boolean {
    return this.#levels.at(-1)?.length === 1;
  }

  protected override taskSnapshots(): Pick<RunSnapshot, "base" | "tasks"> {
    const levels = this.#levels;
    let base = this.canBeSaved ? 0 : -1;
    while (base >= 0 && base + 1 < levels.length && this.#isOver(base + 1)) base++;
    const tasks: TaskSnapshot[] = [];
    for (const level of base > 0 ? levels.slice(base) : levels) {
      for (const task of level) {
        const snapshot = this.#snapshotOf(task);
        if (tellsSomething(snapshot)) tasks.push(snapshot);
      }
    }
    if (this.#former !== undefined) tasks.push(...this.#former.values());
    return { base: levels[base]?.[0]?.step ?? -1, tasks };
  }

  #snapshotOf(task: Task): TaskSnapshot {
    const isUsedUp = this.isUsedUp(task);
    return task.snapshot(task.isSettled || isUsedUp, !isUsedUp);
  }
}

function canRun(task: Task): boolean {
  return task.state === "ready" && !task.isBlocked;
}

/** A task that has not begun is made anew from what is before it. */
function tellsSomething({ done, visit, route }: TaskSnapshot): boolean {
  return done || visit !== undefined || route !== undefined;
}

function isNotDone({ state }: Task): boolean {
  return state !== "done";
}

function indexOf({ index }: Task): number {
  return index;
}

function targetOf({ target }: Delivery): number {
  return target;
}

function isForEnd({ target }: Delivery): boolean {
  return target === END_INDEX;
}

function ignore(): void {}
