import type { ComponentKind } from "../../callbacks/component-kind.js";
import { type Addressed, LazyRecord, type RunInfo, type RunMeta, RunRecord } from "../../callbacks/run-info.js";
import type { PlanNode } from "../../compose/plan/plan.js";

/** The run of a graph, as the record of a task sees it. */
export interface RecordSource {
  /** The record that tasks name as their parent; `undefined` if the task is the whole run (a lone lambda). */
  readonly recordAround: RunInfo | undefined;
  node(index: number): PlanNode;
  addressOf(index: number): string;
}

/** The `RunInfo` of a task. */
export function recordOf(source: RecordSource, index: number, at: Addressed): RunInfo {
  if (source.recordAround !== undefined) return new TaskRecord(source, index);
  const { name, type } = source.node(index);
  return new RunRecord(undefined, componentKindOf(source, index), name, type, at);
}

/** The record of a task in a graph; everything in it is looked up when it is read. */
class TaskRecord extends LazyRecord {
  private readonly source: RecordSource;
  private readonly index: number;

  constructor(source: RecordSource, index: number) {
    super();
    this.source = source;
    this.index = index;
  }

  get component(): ComponentKind {
    return componentKindOf(this.source, this.index);
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

  get meta(): RunMeta | undefined {
    const { body } = this.source.node(this.index);
    return body.kind === "graph" ? body.plan.meta?.(() => undefined) : undefined;
  }

  get parent(): RunInfo | undefined {
    return this.source.recordAround;
  }

  /** Never called: only roots need an id of their own, and a task in a graph is not a root. */
  newId(): string {
    return "";
  }
}

export function componentKindOf(source: RecordSource, index: number): ComponentKind {
  const { component } = source.node(index);
  return component === "passthrough" ? "lambda" : component;
}
