import { type ComponentKind, LazyRecord, type Place, type RunInfo, RunRecord } from "../callbacks/run-info.js";
import type { PlanNode } from "../compose/plan/plan.js";

/** What the record of a task needs to know of the run of its graph. */
export interface RecordSource {
  /** The record that tasks name as their parent; `undefined` when the run is its only task (a lambda run alone). */
  readonly recordAround: RunInfo | undefined;
  node(index: number): PlanNode;
  addressOf(index: number): string;
}

/** Who a task is for handlers. */
export function recordOf(source: RecordSource, index: number, place: Place): RunInfo {
  if (source.recordAround !== undefined) return new TaskRecord(source, index, undefined);
  const { name, type } = source.node(index);
  return new RunRecord(undefined, kindOf(source, index), name, type, place);
}

/**
 * The record of a task in a graph: it looks everything up when it is asked. As long as the task has no watch it keeps for
 * it what its only handler returned.
 *
 * A `LazyRecord` by its prototype, like `TaskContext`, and for the same reason.
 */
export class TaskRecord implements Omit<LazyRecord, symbol> {
  id: string | undefined;
  /** Until the start the parent's. */
  span: unknown;
  isOver: boolean;
  private readonly source: RecordSource;
  private readonly index: number;
  declare readonly runId: string;
  declare readonly parentRunId: string | undefined;
  declare readonly toJSON: () => RunInfo;

  constructor(source: RecordSource, index: number, parentSpan: unknown) {
    this.id = undefined;
    this.source = source;
    this.index = index;
    this.span = parentSpan;
    this.isOver = false;
  }

  get component(): ComponentKind {
    return kindOf(this.source, this.index);
  }

  get name(): string {
    return this.source.node(this.index).name;
  }

  get type(): string {
    return this.source.node(this.index).type;
  }

  get address(): string {
    return this.source.addressOf(this.index);
  }

  get toolCallId(): undefined {
    return undefined;
  }

  get parent(): RunInfo | undefined {
    return this.source.recordAround;
  }

  /** Only roots are asked, and a task in a graph is none. */
  newId(): string {
    return "";
  }
}
Object.setPrototypeOf(TaskRecord.prototype, LazyRecord.prototype);

function kindOf(source: RecordSource, index: number): ComponentKind {
  const { component } = source.node(index);
  return component === "passthrough" ? "lambda" : component;
}
