import { unreadableCheckpoint } from "../../interrupt/checkpoint-errors.js";
import type { RunSnapshot, TaskSnapshot } from "../../interrupt/snapshot.js";
import { END_INDEX } from "../../plan/plan.js";
import { noNextNode } from "../errors.js";
import { drop, join, split } from "../flow.js";
import { namesOf } from "../route.js";
import { stepLimit } from "../supersteps.js";
import { Task } from "./task.js";
import { resultIsThere, Tracker } from "./tracker.js";

interface Delivery {
  readonly sources: number[];
  readonly values: unknown[];
}

/** The tracker of `anyPredecessor` graphs: step by step. A step is over when all of its nodes have ended. */
export class StepTracker extends Tracker {
  /** The tasks of each step of which account is still kept; the last one is the step that runs. */
  #levels: Task[][] = [];
  /** What a former run did in steps that come again. */
  #former = new Map<string, TaskSnapshot>();

  protected override async begin(input: unknown): Promise<unknown> {
    const start = this.startTask(input);
    this.#levels = [[start]];
    await this.saveStart(start);
    return this.#loop();
  }

  protected override async restore({ base, tasks }: RunSnapshot, input: unknown): Promise<unknown> {
    for (const saved of tasks) if (saved.step > base) this.#former.set(`${saved.step} ${saved.node}`, saved);
    if (base < 0) return this.begin(input);
    const level = tasks.filter(({ step }) => step === base);
    if (level.length === 0 || !level.every(({ done }) => done)) throw unreadableCheckpoint("it has no finished step");
    this.run.steps = base;
    this.#levels = [level.map((saved) => new Task(this.run, this.indexOf(saved.node), saved))];
    return this.#loop();
  }

  protected override tasks(): readonly Task[] {
    return this.#levels.flat();
  }

  async #loop(): Promise<unknown> {
    const { run } = this;
    for (;;) {
      const level = this.#levels.at(-1) ?? [];
      const [first, ...others] = level.filter(canRun);
      if (first !== undefined && others.length === 0) await this.launch(first, first.input);
      else await Promise.all(level.filter(canRun).map((task) => this.launchBeside(task)));
      run.throwIfAborted();
      if (level.some(({ state }) => state !== "done")) throw this.halted();
      for (const task of level) await this.route(task);
      const deliveries = this.#deliver(level);
      this.checkStops(indexesOf(level), deliveries.keys());
      const end = deliveries.get(END_INDEX);
      if (this.stop !== undefined || run.halted || (end === undefined && this.isHalted)) throw this.halted();
      if (end !== undefined) return this.#finish(end, deliveries);
      this.#next(deliveries);
      this.#forget();
    }
  }

  #deliver(level: readonly Task[]): Map<number, Delivery> {
    const { run } = this;
    const deliveries = new Map<number, Delivery>();
    for (const { index, output, targets = [] } of level) {
      if (targets.length === 0) drop(run, output);
      const parts = targets.length === 0 ? [] : split(run, output, targets.length);
      targets.forEach((target, n) => {
        const delivery = deliveries.get(target) ?? { sources: [], values: [] };
        delivery.sources.push(index);
        delivery.values.push(parts[n]);
        deliveries.set(target, delivery);
      });
    }
    if (deliveries.size > 0) return deliveries;
    run.at = 0;
    throw noNextNode(run.nodePath, namesOf(run, [...indexesOf(level)]));
  }

  #next(deliveries: ReadonlyMap<number, Delivery>): void {
    const { run } = this;
    const nodes = [...deliveries.keys()].sort((a, b) => a - b);
    if (run.steps >= run.maxSteps) throw stepLimit(run, nodes);
    run.steps += 1;
    this.#levels.push(nodes.map((node) => this.#task(node, deliveries.get(node) as Delivery)));
  }

  #task(node: number, { sources, values }: Delivery): Task {
    const { run } = this;
    const former = `${run.steps} ${run.program.keys[node]}`;
    const task = new Task(run, node, this.#former.get(former));
    this.#former.delete(former);
    run.at = node;
    if (task.state === "done" || task.isBlocked) for (const value of values) drop(run, value);
    else task.input = join(run, node, sources, values);
    if (task.input instanceof Promise) task.input.then(undefined, ignore);
    return task;
  }

  async #finish({ sources, values }: Delivery, deliveries: ReadonlyMap<number, Delivery>): Promise<unknown> {
    const { run } = this;
    for (const [target, other] of deliveries) {
      if (target !== END_INDEX) for (const value of other.values) drop(run, value);
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

  protected override taskSnapshots(): Pick<RunSnapshot, "base" | "tasks"> {
    let base = this.canBeSaved ? 0 : -1;
    while (base >= 0 && base + 1 < this.#levels.length && this.#isOver(base + 1)) base++;
    const started = this.#levels
      .slice(Math.max(base, 0))
      .flatMap((level) => level.map((task) => this.#snapshotOf(task)));
    const step = this.#levels[base]?.[0]?.step ?? -1;
    return { base: step, tasks: [...started.filter(tellsSomething), ...this.#former.values()] };
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

function* indexesOf(level: readonly Task[]): Iterable<number> {
  for (const { index } of level) yield index;
}

function ignore(): void {}
