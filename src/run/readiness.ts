import { END_INDEX } from "../compose/plan/plan.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { Program } from "./program.js";
import type { Delivery, Task } from "./task.js";

/** A node that can start, with the deliveries of its sources in order of declaration. */
export interface Ready {
  readonly target: number;
  readonly inbox: readonly Delivery[];
}

/** Decides which nodes are next. */
export interface Readiness {
  /** Whether the tasks of a step are routed together, once all of them have ended. */
  readonly isStepwise: boolean;
  /** `enables`: whether this delivery makes the target run. In a workflow, some edges only bring data. */
  deliver(target: number, delivery: Delivery, enables: boolean): void;
  /** One source of each of these nodes will deliver nothing. */
  skip(targets: readonly number[]): void;
  /** Removes and returns the nodes that can start now. END comes alone; other deliveries remain in {@link leftOver}. */
  take(): readonly Ready[];
  /** Continues after tasks that an earlier process finished: waits only for sources that can still run. */
  resume(done: readonly Task[]): void;
  /** Removes and returns deliveries that no node will take. */
  leftOver(): readonly Delivery[];
}

export function readinessOf(program: Program): Readiness {
  return program.plan.triggerMode === "allPredecessor" ? new AllPredecessors(program) : new AnyPredecessor();
}

/** Every delivery makes its target run in the next step. Memory grows with the deliveries, not with the graph. */
class AnyPredecessor implements Readiness {
  readonly isStepwise = true;
  #targets: number[] = [];
  #inboxes: Delivery[][] = [];
  /** The only source so far; it names each target once, so no lookup is needed. */
  #only: Task | undefined = undefined;
  /** The position of each target in `#targets`, once there are several sources. */
  #positions: Map<number, number> | undefined = undefined;

  deliver(target: number, delivery: Delivery): void {
    if (this.#targets.length === 0) this.#only = delivery.source;
    else if (this.#only !== delivery.source) {
      this.#positions ??= new Map(this.#targets.map((known, position) => [known, position]));
      const position = this.#positions.get(target);
      if (position !== undefined) {
        this.#inboxes[position]?.push(delivery);
        return;
      }
      this.#positions.set(target, this.#targets.length);
    }
    this.#targets.push(target);
    this.#inboxes.push([delivery]);
  }

  skip(): void {}

  resume(): void {}

  take(): readonly Ready[] {
    const targets = this.#targets;
    if (targets.length === 0) return nothing;
    const inboxes = this.#inboxes;
    const end = targets.indexOf(END_INDEX);
    if (end >= 0) {
      targets.splice(end, 1);
      return [{ target: END_INDEX, inbox: inOrder(inboxes.splice(end, 1)[0] ?? []) }];
    }
    this.#reset();
    const ready = new Array<Ready>(targets.length);
    let isSorted = true;
    for (let n = 0; n < targets.length; n++) {
      const target = targets[n] as number;
      ready[n] = { target, inbox: inOrder(inboxes[n] as Delivery[]) };
      if (n > 0 && target < (targets[n - 1] as number)) isSorted = false;
    }
    return isSorted ? ready : ready.sort((a, b) => a.target - b.target);
  }

  leftOver(): readonly Delivery[] {
    const left = this.#inboxes.flat();
    this.#reset();
    return left;
  }

  #reset(): void {
    this.#targets = [];
    this.#inboxes = [];
    this.#only = undefined;
    this.#positions = undefined;
  }
}

/** A node is due once each of its sources has delivered or was skipped. It runs if a delivery enables it, else it is skipped. */
class AllPredecessors implements Readiness {
  readonly isStepwise = false;
  readonly #program: Program;
  /** By node: how many sources have neither delivered nor been skipped. */
  readonly #open: number[];
  /** By node: how many deliveries enable it. */
  readonly #enabled: number[];
  readonly #inboxes: (Delivery[] | undefined)[];
  #ready: number[] = [];
  /** Nodes that an earlier process finished. A source that runs again delivers to them in vain. */
  #done: ReadonlySet<number> | undefined = undefined;

  constructor(program: Program) {
    this.#program = program;
    this.#open = program.sourceCounts.slice();
    this.#enabled = new Array<number>(this.#open.length).fill(0);
    this.#inboxes = new Array(this.#open.length);
    // END of a workflow runs even if all its sources were skipped
    if (program.isWired) this.#enabled[END_INDEX] = 1;
  }

  deliver(target: number, delivery: Delivery, enables: boolean): void {
    if (this.#done?.has(target) === true) {
      cancelAll([delivery]);
      return;
    }
    const inbox = this.#inboxes[target];
    if (inbox === undefined) this.#inboxes[target] = [delivery];
    else inbox.push(delivery);
    if (enables) this.#enabled[target] = (this.#enabled[target] ?? 0) + 1;
    if (this.#countDown(target)) this.skip(this.#program.routes[target]?.all ?? []);
  }

  /** A loop, not recursion: a chain of skipped nodes may be longer than the stack. */
  skip(targets: readonly number[]): void {
    const skipped = [...targets];
    for (let target = skipped.pop(); target !== undefined; target = skipped.pop()) {
      if (this.#countDown(target)) skipped.push(...(this.#program.routes[target]?.all ?? []));
    }
  }

  /** Nodes that cannot be reached from the finished tasks have run or were skipped, so nothing waits for them. */
  resume(done: readonly Task[]): void {
    const { routes, sources } = this.#program;
    const nextOf = ({ index, targets }: Task): readonly number[] => targets ?? routes[index]?.all ?? [];
    const finished = new Set(done.map(({ index }) => index));
    const reachable = new Set<number>();
    const reach = (targets: readonly number[]): void => {
      for (const target of targets) if (!finished.has(target)) reachable.add(target);
    };
    this.#done = finished;
    for (const task of done) reach(nextOf(task));
    // the set grows while it is iterated
    for (const target of reachable) reach(routes[target]?.all ?? []);
    if (this.#program.isWired) reachable.add(END_INDEX);
    const direct = new Map<number, number>();
    for (const target of done.flatMap(nextOf)) direct.set(target, (direct.get(target) ?? 0) + 1);
    for (const target of reachable) {
      const open = (sources[target] ?? []).filter((source) => reachable.has(source)).length;
      this.#open[target] = open + (direct.get(target) ?? 0);
    }
    if (this.#program.isWired && this.#open[END_INDEX] === 0) this.#ready.push(END_INDEX);
  }

  /** Counts one source of a node as done. Returns whether the node is thereby skipped. */
  #countDown(target: number): boolean {
    if (this.#done?.has(target) === true) return false;
    const open = (this.#open[target] ?? 0) - 1;
    this.#open[target] = open;
    if (open > 0) return false;
    if (this.#enabled[target] === 0) {
      cancelAll(this.#inboxes[target]);
      this.#inboxes[target] = undefined;
      return true;
    }
    this.#ready.push(target);
    return false;
  }

  take(): readonly Ready[] {
    const ready = this.#ready;
    if (ready.length === 0) return nothing;
    this.#ready = [];
    return (ready.includes(END_INDEX) ? [END_INDEX] : ready).map((target) => this.#takeInbox(target));
  }

  #takeInbox(target: number): Ready {
    const inbox = inOrder(this.#inboxes[target] ?? []);
    this.#inboxes[target] = undefined;
    return { target, inbox };
  }

  leftOver(): readonly Delivery[] {
    const left = this.#inboxes.flatMap((inbox) => inbox ?? []);
    this.#inboxes.length = 0;
    return left;
  }
}

const nothing: readonly Ready[] = [];

/** Cancels the streams that were delivered to a skipped node. */
function cancelAll(inbox: readonly Delivery[] | undefined): void {
  for (const { value } of inbox ?? []) if (value instanceof StreamReader) void value.cancel();
}

/** Deliveries arrive in the order in which their tasks end; this sorts them by declaration. */
function inOrder(inbox: Delivery[]): readonly Delivery[] {
  for (let n = 1; n < inbox.length; n++) {
    if ((inbox[n - 1] as Delivery).source.index > (inbox[n] as Delivery).source.index)
      return inbox.sort((a, b) => a.source.index - b.source.index);
  }
  return inbox;
}
