import type { ComponentKind } from "./component-kind.js";
import type { GraphInfo } from "./graph-info.js";
import { randomId } from "./random-id.js";

/** Identifies a run. Every timing of a handler gets it, and nodes have it as `ctx.runInfo`. */
export interface RunInfo {
  /** Unique for this run of this node, tool call or graph. */
  readonly runId: string;
  /** The `runId` of the enclosing run; `undefined` for a root. */
  readonly parentRunId: string | undefined;
  /** The display name: the option `name`, or else the node's key; `""` for a graph without a name. */
  readonly name: string;
  /** The component's own `type`, such as its implementation; otherwise `""`. */
  readonly type: string;
  /** The kind of component, such as `"model"` or `"graph"`. */
  readonly component: ComponentKind;
  /** Where in the graph it runs, the same in every run, such as `runnable:agent;node:tools;tool:search:call_1`. */
  readonly address: string;
  /** Set for tool calls only. */
  readonly toolCallId?: string | undefined;
  /**
   * Further properties, made when read: for an agent its `name`, `description` and `threadId`, for a tool its `description`. The
   * outermost run has `runKey`, `checkpointId`, `graph` and `info()`.
   */
  readonly meta?: RunMeta | undefined;
}

/** Further properties of a run. @internal */
export interface RunMeta {
  /** Of the outermost run: identifies the run, also after a resume, which is another root. */
  readonly runKey?: string | undefined;
  /** Of the outermost run: the id to resume it with, if it is saved. */
  readonly checkpointId?: string | undefined;
  /** Of an agent: its thread. */
  readonly threadId?: string | undefined;
  /** Of the outermost run: the name of its graph. */
  readonly graph?: string | undefined;
  /** Of the outermost run: returns its graph as data, like `graphInfo()`. */
  readonly info?: (() => GraphInfo) | undefined;
  readonly [property: string]: unknown;
}

/** An object with an address, which is read only when a handler needs it. */
export interface Addressed {
  readonly address: string;
}

const inspect = Symbol.for("nodejs.util.inspect.custom");
/** A method of the records of graphs' runs: describes the graph. The same function for all runs of a graph. */
export const describesGraph: unique symbol = Symbol("graph of a run");
const root: unique symbol = Symbol("root of a run record");

/**
 * Base of the library's `RunInfo`. Ids and addresses are created at first use: a root gets a random id, a run inside it the root's
 * id and a number.
 */
export abstract class LazyRecord implements RunInfo {
  abstract readonly component: ComponentKind;
  abstract readonly name: string;
  abstract readonly type: string;
  abstract readonly toolCallId: string | undefined;
  abstract readonly address: string;
  /** The info of the enclosing run. */
  abstract readonly parent: RunInfo | undefined;
  abstract readonly meta: RunMeta | undefined;
  /** Set at the first read of `runId`. */
  id: string | undefined;

  constructor() {
    this.id = undefined;
  }

  get runId(): string {
    this.id ??= this[root].newId(this);
    return this.id;
  }

  get parentRunId(): string | undefined {
    return this.parent?.runId;
  }

  /** A plain object, for logs. */
  toJSON(): RunInfo {
    const { runId, parentRunId, name, type, component, address, toolCallId, meta } = this;
    const plain = { runId, parentRunId, name, type, component, address };
    return { ...plain, ...(toolCallId !== undefined && { toolCallId }), ...(meta !== undefined && { meta }) };
  }

  [inspect](): RunInfo {
    return this.toJSON();
  }

  /** The outermost enclosing record. */
  get [root](): LazyRecord {
    return this.parent instanceof LazyRecord ? this.parent[root] : this;
  }

  /** Creates ids, on a root: for itself and for the runs inside it. */
  abstract newId(record: LazyRecord): string;
}

/** A record whose values are known when it is created. */
export class RunRecord extends LazyRecord {
  override readonly component: ComponentKind;
  override readonly name: string;
  override readonly type: string;
  override readonly toolCallId: string | undefined;
  override readonly parent: RunInfo | undefined;
  private readonly at: Addressed;
  private readonly describe: (() => RunMeta) | undefined;
  /** How many ids this root has created for runs inside it. */
  private given = 0;

  constructor(
    parent: RunInfo | undefined,
    component: ComponentKind,
    name: string,
    type: string,
    at: Addressed,
    toolCallId?: string,
    describe?: () => RunMeta,
  ) {
    super();
    this.parent = parent;
    this.component = component;
    this.name = name;
    this.type = type;
    this.at = at;
    this.toolCallId = toolCallId;
    this.describe = describe;
  }

  override get meta(): RunMeta | undefined {
    return this.describe?.();
  }

  override get address(): string {
    return this.at.address;
  }

  override newId(record: LazyRecord): string {
    if (record === this) return randomId();
    this.given += 1;
    return `${this.runId}.${this.given}`;
  }
}
