import { randomId } from "./random-id.js";

/** Which kind of thing a run is: a component's literal field, or what the library itself runs. */
export type ComponentKind =
  | "model"
  | "template"
  | "tools_node"
  | "retriever"
  | "embedder"
  | "indexer"
  | "loader"
  | "transformer"
  | "lambda"
  | "tool"
  | "graph"
  | "chain"
  | "workflow"
  | "agent";

/** Who is running: given to every handler at every timing, and to nodes as `ctx.runInfo`. */
export interface RunInfo {
  /** Unique for this run of this node, tool call or graph. */
  readonly runId: string;
  /** The `runId` of what contains this run; `undefined` for a root. */
  readonly parentRunId: string | undefined;
  /** The display name: the `name` option, else the node's key; `""` for a graph without a name. */
  readonly name: string;
  /** What the component calls itself (`type`), else `""`. */
  readonly type: string;
  readonly component: ComponentKind;
  /** Where it runs: the same in every run, for example `runnable:agent;node:tools;tool:search:call_1`. */
  readonly address: string;
  /** Set for tool calls only. */
  readonly toolCallId?: string | undefined;
  /** What else there is to say: of an agent its `name`, `description` and `threadId`. Made when it is read. */
  readonly meta?: RunMeta | undefined;
}

/** What a run says of itself besides who it is. */
export type RunMeta = Readonly<Record<string, unknown>>;

/** Any object that knows where it stands; the address is read only when a handler asks for it. */
export interface Addressed {
  readonly address: string;
}

const inspect = Symbol.for("nodejs.util.inspect.custom");
const root: unique symbol = Symbol("root of a run record");

/**
 * The `RunInfo` that the library makes. Ids and addresses are made at their first read: a root gets a random id, what runs
 * inside it the root's id and a number.
 */
export abstract class LazyRecord implements RunInfo {
  abstract readonly component: ComponentKind;
  abstract readonly name: string;
  abstract readonly type: string;
  abstract readonly toolCallId: string | undefined;
  abstract readonly address: string;
  /** What contains this run. */
  abstract readonly parent: RunInfo | undefined;
  abstract readonly meta: RunMeta | undefined;
  /** Once somebody has asked for it. */
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

  /** The outermost record of the library around this one. */
  get [root](): LazyRecord {
    return this.parent instanceof LazyRecord ? this.parent[root] : this;
  }

  /** A root gives ids to itself and to what runs inside it. */
  abstract newId(record: LazyRecord): string;
}

/** A record of what is known when it is made. */
export class RunRecord extends LazyRecord {
  override readonly component: ComponentKind;
  override readonly name: string;
  override readonly type: string;
  override readonly toolCallId: string | undefined;
  override readonly parent: RunInfo | undefined;
  private readonly at: Addressed;
  private readonly describe: (() => RunMeta) | undefined;
  /** How many ids were given below this root. */
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
