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
  | "workflow";

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
}

/** Any object that knows where it stands; the address is read only when a handler asks for it. */
export interface Place {
  readonly address: string;
}

const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * The `RunInfo` that the library makes. Ids and the address are made at their first read: a root gets a random id, what
 * runs inside it the root's id and a number.
 */
export class RunRecord implements RunInfo {
  readonly component: ComponentKind;
  readonly name: string;
  readonly type: string;
  readonly toolCallId: string | undefined;
  readonly #parent: RunInfo | undefined;
  readonly #place: Place;
  #runId: string | undefined = undefined;
  /** How many ids were given below this root. */
  #given = 0;

  constructor(
    parent: RunInfo | undefined,
    component: ComponentKind,
    name: string,
    type: string,
    place: Place,
    toolCallId?: string,
  ) {
    this.component = component;
    this.name = name;
    this.type = type;
    this.toolCallId = toolCallId;
    this.#parent = parent;
    this.#place = place;
  }

  get runId(): string {
    this.#runId ??= this.#makeId();
    return this.#runId;
  }

  get parentRunId(): string | undefined {
    return this.#parent?.runId;
  }

  get address(): string {
    return this.#place.address;
  }

  /** A plain object, for logs. */
  toJSON(): RunInfo {
    const { runId, parentRunId, name, type, component, address, toolCallId } = this;
    const plain = { runId, parentRunId, name, type, component, address };
    return toolCallId === undefined ? plain : { ...plain, toolCallId };
  }

  [inspect](): RunInfo {
    return this.toJSON();
  }

  #makeId(): string {
    let root: RunRecord = this;
    while (root.#parent instanceof RunRecord) root = root.#parent;
    if (root === this) return randomId();
    root.#given += 1;
    return `${root.runId}.${root.#given}`;
  }
}

/** 128 random bits as 32 hex digits. */
function randomId(): string {
  let text = "";
  for (const byte of globalThis.crypto.getRandomValues(new Uint8Array(16))) text += byte.toString(16).padStart(2, "0");
  return text;
}
