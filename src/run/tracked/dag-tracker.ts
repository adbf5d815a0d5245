import { unreadableCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { RunSnapshot, TaskSnapshot } from "../../checkpoint/snapshot.js";
import { END_INDEX, START, START_INDEX } from "../../compose/plan/plan.js";
import { noNextNode } from "../errors.js";
import { drop, join, movesStreams, split } from "../flow.js";
import { namesOf } from "../route.js";
import { Task } from "./task.js";
import { resultIsThere, Tracker } from "./tracker.js";

interface Inbox {
  readonly source: number;
  readonly value: unknown;
}

/** The tracker of `allPredecessor` graphs: a node runs once all its sources have delivered or will not. */
export class DagTracker extends Tracker {
  readonly #open: number[] = this.run.program.sourceCounts.slice();
  readonly #inboxes: Inbox[][] = this.run.program.keys.map(() => []);
  readonly #tasks: (Task | undefined)[] = [];
  /** In the order in which they started. */
  readonly #started: Task[] = [];
  readonly #former = new Map<string, TaskSnapshot>();
  #ready: number[] = [];
  #active = 0;
  #last = START_INDEX;
  #isOver = false;
  #resolve: (result: unknown) => void = ignore;
  #reject: (error: unknown) => void = ignore;

  override async start(input: unknown, from?: RunSnapshot): Promise<unknown> {
    try {
      const done = from === undefined ? await this.#begin(input) : this.#restore(from, input);
      return await this.completed(await this.#run(done));
    } catch (error) {
      throw await this.end(error);
    }
  }

  async #begin(input: unknown): Promise<Task[]> {
    const start = this.startTask(input);
    this.#keep(start);
    await this.saveStart(start);
    return [start];
  }

  /** What was done is handed on once more, to those who have not used it. */
  #restore(from: RunSnapshot, input: unknown): Task[] {
    this.takeOver(from);
    const { base, tasks } = from;
    const done: Task[] = [];
    for (const saved of tasks) {
      const index = this.indexOf(saved.node);
      if (saved.done) done.push(new Task(this.run, index, saved));
      else this.#former.set(saved.node, saved);
    }
    if (base < 0) done.push(this.startTask(input));
    if (done.length === 0) throw unreadableCheckpoint("nothing of it is done");
    for (const task of done) this.#keep(task);
    return done;
  }

  protected override tasks(): readonly Task[] {
    return this.#started;
  }

  #run(done: readonly Task[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      // held open until all of them have been handed on
      this.#active = done.length;
      for (const task of done) void this.#leave(task);
    });
  }

  #keep(task: Task): void {
    this.#tasks[task.index] = task;
    this.#started.push(task);
  }

  /** A task has given its output: it goes on to those behind it. */
  async #leave(task: Task): Promise<void> {
    try {
      await this.route(task);
      this.#last = task.index;
      if (!this.#isOver) this.#deliver(task);
    } catch (error) {
      if (error === this.halted()) this.run.halted = true;
      else this.#fail(error);
    }
    this.#active--;
    this.#pump();
  }

  #deliver(task: Task): void {
    const { run } = this;
    const { index, output, targets = [] } = task;
    this.checkStops([index], []);
    if (targets.length === 0) drop(run, output);
    const parts = targets.length === 0 ? [] : split(run, output, targets.length);
    for (const [n, target] of targets.entries()) {
      if (this.#tasks[target] === undefined) this.#take(target, { source: index, value: parts[n] });
      else drop(run, parts[n]);
    }
    const all = run.program.routes[index]?.all ?? [];
    this.#skip(all.filter((target) => !targets.includes(target)));
  }

  #take(target: number, delivery: Inbox): void {
    this.#inboxes[target]?.push(delivery);
    this.#close(target);
  }

  /** One source of a node has reported. True when the node will not run. */
  #close(target: number): boolean {
    const open = (this.#open[target] ?? 0) - 1;
    this.#open[target] = open;
    if (open > 0 || this.#tasks[target] !== undefined) return false;
    if (this.#inboxes[target]?.length === 0) return true;
    this.#ready.push(target);
    return false;
  }

  #skip(targets: readonly number[]): void {
    const skipped = [...targets];
    for (let target = skipped.pop(); target !== undefined; target = skipped.pop()) {
      if (this.#close(target)) skipped.push(...(this.run.program.routes[target]?.all ?? []));
    }
  }

  /** Starts what can start. Nothing does once the run has stopped to wait; what became ready together starts together. */
  #pump(): void {
    const { run } = this;
    if (this.#isOver) return;
    if (run.aborted) {
      this.#fail(run.reason);
      return;
    }
    this.checkStops([], this.#ready);
    const end = this.#ready.includes(END_INDEX);
    if (end && !run.halted && this.stop === undefined) {
      this.#end();
      return;
    }
    if (!this.isHalted) {
      const ready = this.#ready;
      this.#ready = [];
      for (const index of ready) this.#beginNode(index);
    }
    if (this.#active > 0 || this.#isOver) return;
    if (this.isHalted || this.#started.some(waits)) this.#fail(this.halted());
    else this.#fail(run.blame(noNextNode(run.nodePath, namesOf(run, [this.#last])), START_INDEX));
  }

  #beginNode(index: number): void {
    const { run } = this;
    const task = new Task(run, index, this.#former.get(run.program.keys[index] ?? ""));
    this.#former.delete(run.program.keys[index] ?? "");
    this.#keep(task);
    if (task.isBlocked) {
      for (const { value } of this.#inboxes[index] ?? []) drop(run, value);
      return;
    }
    this.#active++;
    void this.#launchNode(task);
  }

  async #launchNode(task: Task): Promise<void> {
    try {
      await this.launch(task, this.#inputOf(task.index));
    } catch (error) {
      this.#active--;
      this.#fail(error);
      return;
    }
    if (task.state === "done") {
      await this.#leave(task);
      return;
    }
    this.run.halted = true;
    this.#active--;
    this.#pump();
  }

  async #inputOf(index: number): Promise<unknown> {
    const inbox = (this.#inboxes[index] ?? []).sort((a, b) => a.source - b.source);
    this.#inboxes[index] = [];
    return join(
      this.run,
      index,
      inbox.map(({ source }) => source),
      inbox.map(({ value }) => value),
    );
  }

  #end(): void {
    const { run } = this;
    this.#isOver = true;
    for (const [index, inbox] of this.#inboxes.entries()) {
      if (index !== END_INDEX) for (const { value } of inbox) drop(run, value);
    }
    if (this.#active > 0) {
      if (movesStreams(run)) run.leaveRest();
      else run.stopRest(resultIsThere);
    }
    run.at = END_INDEX;
    this.#inputOf(END_INDEX).then(this.#resolve, this.#reject);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reject(error);
  }

  protected override isUsedUp(task: Task): boolean {
    if (task.state !== "done" || task.targets === undefined || task.feedsEnd) return false;
    return task.targets.every((target) => {
      const behind = this.#tasks[target];
      return behind !== undefined && (behind.isSettled || this.isUsedUp(behind));
    });
  }

  protected override get isAlone(): boolean {
    return false;
  }

  protected override taskSnapshots(): Pick<RunSnapshot, "base" | "tasks"> {
    const started = this.#started.map((task) => {
      const isUsedUp = this.isUsedUp(task);
      return task.snapshot(task.isSettled || isUsedUp, !isUsedUp);
    });
    const tasks = started.filter(({ done, visit, route }) => done || visit !== undefined || route !== undefined);
    const hasStart = tasks.some(({ node, done }) => node === START && done);
    return { base: hasStart ? 0 : -1, tasks: [...tasks, ...this.#former.values()] };
  }
}

function waits({ state, isBlocked }: Task): boolean {
  return state === "stopped" || isBlocked;
}

function ignore(): void {}
