import type { Clock } from "../../components/clock.js";

/** Something with a time limit, such as a call. */
export interface Expiring {
  expire(): void;
}

/**
 * The time limits of calls that are running. Calls with the same limit expire in the order in which they started, so each
 * limit has one list and one timer, for its oldest call.
 */
export class Deadlines {
  readonly #clocks = new WeakMap<Clock, Map<number, DeadlineList>>();

  /** Starts the time limit of a call now. (Calls started before it may have blocked the thread.) */
  add(call: Expiring, timeoutMs: number, clock: Clock): Deadline {
    let lists = this.#clocks.get(clock);
    if (lists === undefined) {
      lists = new Map();
      this.#clocks.set(clock, lists);
    }
    return listOf(lists, timeoutMs, clock).add(call);
  }
}

function listOf(lists: Map<number, DeadlineList>, timeoutMs: number, clock: Clock): DeadlineList {
  const known = lists.get(timeoutMs);
  if (known !== undefined) return known;
  const list = new DeadlineList(timeoutMs, clock, () => lists.delete(timeoutMs));
  lists.set(timeoutMs, list);
  return list;
}

/** One call in the list of its limit. */
export class Deadline {
  readonly call: Expiring;
  readonly at: number;
  readonly list: DeadlineList;
  previous: Deadline | undefined = undefined;
  next: Deadline | undefined = undefined;

  constructor(call: Expiring, at: number, list: DeadlineList) {
    this.call = call;
    this.at = at;
    this.list = list;
  }

  /** To be called when the call has ended in time. */
  remove(): void {
    this.list.remove(this);
  }
}

class DeadlineList {
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #onUnused: () => void;
  #first: Deadline | undefined = undefined;
  #last: Deadline | undefined = undefined;
  /** Stays set when the list is empty, so that calls that end in time need not set and clear timers; then it is unref'd. */
  #timer: unknown = undefined;

  constructor(timeoutMs: number, clock: Clock, onUnused: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#onUnused = onUnused;
  }

  add(call: Expiring): Deadline {
    const deadline = new Deadline(call, this.#clock.now() + this.#timeoutMs, this);
    deadline.previous = this.#last;
    if (this.#last === undefined) this.#first = deadline;
    else this.#last.next = deadline;
    this.#last = deadline;
    if (this.#timer === undefined) this.#setTimer(this.#timeoutMs);
    else if (this.#first === deadline) hold(this.#timer, true);
    return deadline;
  }

  remove(deadline: Deadline): void {
    const { previous, next } = deadline;
    if (previous === undefined && this.#first !== deadline) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    deadline.previous = undefined;
    deadline.next = undefined;
    if (this.#first === undefined && this.#timer !== undefined) hold(this.#timer, false);
  }

  #setTimer(ms: number): void {
    const wait = Math.min(Math.ceil(ms), longestTimer);
    const due = this.#clock.now() + wait;
    this.#timer = this.#clock.setTimer(() => this.#fire(due), wait);
  }

  /** Expires what is due. The timer's own deadline counts as reached even if the system clock was set back meanwhile. */
  #fire(due: number): void {
    this.#timer = undefined;
    const now = Math.max(due, this.#clock.now() + timerSlack);
    for (let first = this.#first; first !== undefined && first.at <= now; first = this.#first) {
      this.remove(first);
      first.call.expire();
    }
    if (this.#timer !== undefined) return;
    if (this.#first === undefined) this.#onUnused();
    else this.#setTimer(this.#first.at - now + timerSlack);
  }
}

/** How many milliseconds early a timer may fire. */
const timerSlack = 1;
const longestTimer = 2_147_483_647;

/** Sets whether a timer keeps the process alive. (In browsers timers are numbers, and this does nothing.) */
function hold(timer: unknown, holds: boolean): void {
  if (typeof timer !== "object" || timer === null) return;
  const { ref, unref } = timer as { readonly ref?: () => void; readonly unref?: () => void };
  if (holds) ref?.call(timer);
  else unref?.call(timer);
}
