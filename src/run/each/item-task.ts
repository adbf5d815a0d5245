import { type RunInfo, RunRecord } from "../../callbacks/run-info.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import { componentKindOf } from "../spans/task-record.js";
import { Task, type TaskOwner } from "../task.js";

/** What the task of an item needs to know of the run of its list. */
export interface ItemOwner extends TaskOwner {
  /** The task of the node that got the list. */
  readonly at: Task;
  /** Whether all items have ended. */
  readonly isOver: boolean;
}

/** One item of a list: the `ctx` of the node that is run for it. Its invocation is a call in that of the outer node. */
export class ItemTask extends Task {
  declare readonly owner: ItemOwner;
  readonly item: number;

  constructor(items: ItemOwner, index: number, item: number) {
    super(items, index);
    this.item = item;
  }

  override get address(): string {
    return `${this.owner.at.address};item:${this.item}`;
  }

  override get nodePath(): readonly string[] {
    return this.owner.nodePath;
  }

  override get invocation(): Invocation {
    return this.owner.at.invocation.invocationOfCall(this.item, "", this.address);
  }

  override get openedInvocation(): Invocation | undefined {
    return this.owner.at.openedInvocation?.findCall(this.item)?.invocation;
  }

  override get invocationPath(): string {
    return this.owner.at.invocationPath;
  }

  override get hasStopped(): boolean {
    return this.openedInvocation?.hasStopped === true;
  }

  override get isOver(): boolean {
    return super.isOver || this.owner.isOver;
  }

  override set isOver(isOver: boolean) {
    super.isOver = isOver;
  }

  protected override newRecord(): RunInfo {
    const { owner, index } = this;
    const { name, type } = owner.node(index);
    return new RunRecord(owner.at.runInfo, componentKindOf(owner, index), name, type, this);
  }
}
