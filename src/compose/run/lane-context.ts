import type { RunInfo } from "../../callbacks/run-info.js";
import { tellEnd, tellStart } from "../../callbacks/tell.js";
import { type LateWatched, Watch } from "../../callbacks/watch.js";
import type { Watchers } from "../../callbacks/watchers.js";
import { recordOf, TaskContext, type TaskOwner } from "./task-context.js";

/**
 * A watched task that runs alone in its graph. Its only handler is called from here, and its span kept here: a watch would
 * double the price of being watched, and few tasks need one. It is made for several handlers, for what runs inside the
 * task, for events and streams, and for an end that is none of its own: a failure, an interrupt, an abort.
 */
export class LaneContext extends TaskContext implements LateWatched {
  private readonly own: Watchers;
  private record: RunInfo | undefined;
  /** Until the start the parent's. */
  private span: unknown;
  private isOver: boolean;

  constructor(owner: TaskOwner, index: number, watchers: Watchers) {
    super(owner, index);
    this.own = watchers;
    this.record = undefined;
    this.span = owner.watchAround?.spanFor(watchers);
    this.isOver = false;
  }

  start(value: unknown): void {
    const { only } = this.own;
    if (only === undefined) {
      this.ownWatch = this.newWatch();
      this.ownWatch.start(value);
      return;
    }
    this.span = only.onStart === undefined ? undefined : tellStart(only, this.own, this.runInfo, value, this.span);
    // a handler may have stopped the run
    this.ownWatch?.takeOver(this.span, false);
  }

  end(value: unknown): void {
    if (this.ownWatch !== undefined) {
      this.ownWatch.end(value);
      return;
    }
    this.isOver = true;
    const { only } = this.own;
    if (only?.onEnd !== undefined) tellEnd(only, this.own, this.record ?? this.runInfo, value, this.span);
  }

  override get watch(): Watch {
    if (this.ownWatch === undefined) {
      this.ownWatch = this.newWatch();
      this.ownWatch.takeOver(this.span, this.isOver);
    }
    return this.ownWatch;
  }

  openWatch(): void {
    void this.watch;
  }

  override get runInfo(): RunInfo {
    this.record ??= recordOf(this.owner, this.index, this);
    return this.record;
  }

  /** The copy shares the watch, whoever needs it first. */
  override get with(): TaskContext["with"] {
    this.openWatch();
    return super.with;
  }

  private newWatch(): Watch {
    return new Watch(this.own, this.runInfo, this.isOver ? undefined : this.owner.watchAround);
  }
}
