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
  if (source.recordAround !== undefined) return new TaskRecord(source, index);
  const { name, type } = source.node(index);
  return new RunRecord(undefined, kindOf(source, index), name, type, place);
}

/** The record of a task in a graph: it looks everything up when it is asked. */
class TaskRecord extends LazyRecord {
  private readonly source: RecordSource;
  private readonly index: number;

  constructor(source: RecordSource, index: number) {
    super();
    this.source = source;
    this.index = index;
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

  /** Only roots are asked, and a task in a graph is not a root. */
  newId(): string {
    return "";
  }
}

function kindOf(source: RecordSource, index: number): ComponentKind {
  const { component } = source.node(index);
  return component === "passthrough" ? "lambda" : component;
}
