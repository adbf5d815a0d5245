import { END_INDEX } from "../compose/plan/plan.js";
import type { Program } from "./program.js";
import type { Delivery } from "./task.js";

/** A node that can start, with what its sources gave, in order of declaration. */
export interface Ready {
  readonly target: number;
  readonly inbox: readonly Delivery[];
}

/** Decides which nodes are next. */
export interface Readiness {
  /** Whether the tasks of a step are routed together, once all of them have ended. */
  readonly isStepwise: boolean;
  deliver(target: number, delivery: Delivery): void;
  /** These nodes get nothing from this source. */
  skip(targets: readonly number[]): void;
  /** What can start now. END comes alone: what else was delivered is left over. */
  take(): readonly Ready[];
  /** Gives what was delivered and will not be read. */
  leftOver(): readonly Delivery[];
}

export function readinessOf(program: Program): Readiness {
  return program.plan.triggerMode === "allPredecessor" ? new AllPredecessors(program) : new AnyPredecessor();
}

/** What was delivered to a node makes it run in the next step; its size does not depend on the graph. */
class AnyPredecessor implements Readiness {
  readonly isStepwise = true;
  #inboxes = new Map<number, Delivery[]>();

  deliver(target: number, delivery: Delivery): void {
    const inbox = this.#inboxes.get(target);
    if (inbox === undefined) this.#inboxes.set(target, [delivery]);
    else inbox.push(delivery);
  }

  skip(): void {}

  take(): readonly Ready[] {
    const inboxes = this.#inboxes;
    if (inboxes.size === 0) return nothing;
    const end = inboxes.get(END_INDEX);
    if (end !== undefined) {
      inboxes.delete(END_INDEX);
      return [{ target: END_INDEX, inbox: inOrder(end) }];
    }
    this.#inboxes = new Map();
    const ready = Array.from(inboxes, ([target, inbox]) => ({ target, inbox: inOrder(inbox) }));
    return ready.length === 1 ? ready : ready.sort((a, b) => a.target - b.target);
  }

  leftOver(): readonly Delivery[] {
    const left = [...this.#inboxes.values()].flat();
    this.#inboxes.clear();
    return left;
  }
}

/** A node runs once all its sources have delivered or were skipped; when all were skipped it is skipped itself. */
class AllPredecessors implements Readiness {
  readonly isStepwise = false;
  readonly #program: Program;
  /** How many sources of each node have neither delivered nor been skipped. */
  readonly #open: number[];
  readonly #inboxes: (Delivery[] | undefined)[];
  #ready: number[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.#open = program.sourceCounts.slice();
    this.#inboxes = new Array(this.#open.length);
  }

  deliver(target: number, delivery: Delivery): void {
    const inbox = this.#inboxes[target];
    if (inbox === undefined) this.#inboxes[target] = [delivery];
    else inbox.push(delivery);
    this.#close(target);
  }

  /** A loop, because a chain of skipped nodes may be longer than the stack. */
  skip(targets: readonly number[]): void {
    const skipped = [...targets];
    for (let target = skipped.pop(); target !== undefined; target = skipped.pop()) {
      if (this.#close(target)) skipped.push(...(this.#program.routes[target]?.all ?? []));
    }
  }

  /** One source of a node has reported. True when the node will not run. */
  #close(target: number): boolean {
    const open = (this.#open[target] ?? 0) - 1;
    this.#open[target] = open;
    if (open > 0) return false;
    if (this.#inboxes[target] === undefined) return true;
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

/** They come in the order in which their tasks end. */
function inOrder(inbox: Delivery[]): readonly Delivery[] {
  return inbox.length === 1 ? inbox : inbox.sort((a, b) => a.source.index - b.source.index);
}
