import type { CompileOptions } from "./compile-options.js";
import { foreignHandle, invalidBranch, invalidKey, mixedStyles, partOfBranch } from "./errors.js";
import { readEntries } from "./node-entries.js";
import { NodeHandle } from "./node-handle.js";
import { toNode } from "./node.js";
import { Draft } from "./plan/draft.js";
import { makePlan } from "./plan/make-plan.js";
import { END, type Plan, START, type ValueCheck } from "./plan/plan.js";
import { valueCheck } from "./plan/value-check.js";

/** What a {@link Graph} does, without its types: keys or handles in, a draft out. */
export class GraphBuilder {
  readonly start: NodeHandle = new NodeHandle(START, this);
  readonly end: NodeHandle = new NodeHandle(END, this);
  readonly #draft = new Draft("graph");
  readonly #checkInput: ValueCheck | undefined;
  readonly #checkOutput: ValueCheck | undefined;
  #style: "keys" | "handles" | undefined = undefined;

  constructor(input: unknown, output: unknown) {
    this.#checkInput = valueCheck("The input of the graph", input);
    this.#checkOutput = valueCheck("The output of the graph", output);
  }

  setState(state: unknown): void {
    this.#draft.setState(state);
  }

  addNode(key: unknown, node: unknown, options: object | undefined): void {
    this.#use("keys", key);
    this.#add(key, node, options);
  }

  addNodes(nodes: unknown): void {
    for (const { key, node, options } of readEntries("addNodes", nodes)) this.addNode(key, node, options);
  }

  node(key: unknown, node: unknown, options: object | undefined): NodeHandle {
    this.#use("handles", key);
    return new NodeHandle(this.#add(key, node, options), this);
  }

  addEdge(from: unknown, to: unknown): void {
    this.#use("keys", from);
    this.#draft.addEdge(from, to);
  }

  connect(from: unknown, to: unknown): void {
    this.#use("handles", from);
    this.#draft.addEdge(this.#keyOf(from), this.#keyOf(to));
  }

  addBranch(from: unknown, targets: unknown, choose: unknown, stream: boolean): void {
    if (!(from instanceof NodeHandle)) {
      this.#use("keys", from);
      this.#draft.addBranch(from, targets, choose, stream);
      return;
    }
    this.#use("handles", from.key);
    if (!Array.isArray(targets)) throw invalidBranch(from.key, "needs a list of the targets it may choose.");
    const part = targets.find((target) => target instanceof NodeHandle && target.isPart);
    if (part instanceof NodeHandle) throw partOfBranch(from.key, part.key);
    const keys = targets.map((target) => this.#keyOf(target));
    this.#draft.addBranch(this.#keyOf(from), keys, choosingKeys(choose), stream);
  }

  makePlan(options: CompileOptions | undefined): Plan {
    return makePlan(this.#draft, { options, checkInput: this.#checkInput, checkOutput: this.#checkOutput });
  }

  #add(key: unknown, node: unknown, options: object | undefined): string {
    if (typeof key !== "string") throw invalidKey("The node key", key, "a key is a text");
    this.#draft.addNode(key, toNode(key, node), options);
    return key;
  }

  /** The first node or edge decides whether a graph is made with keys or with handles. */
  #use(style: "keys" | "handles", key: unknown): void {
    this.#style ??= style;
    if (this.#style !== style) throw mixedStyles(key, this.#style);
  }

  #keyOf(handle: unknown): string {
    if (!(handle instanceof NodeHandle)) throw mixedStyles(handle, "handles");
    if (!handle.belongsTo(this)) throw foreignHandle(handle.key);
    return handle.key;
  }
}

type Choose = (value: unknown, ctx: unknown) => unknown;

/** A branch between handles chooses handles; the plan knows keys. */
function choosingKeys(choose: unknown): unknown {
  if (typeof choose !== "function") return choose;
  return (value: unknown, ctx: unknown): unknown => {
    const chosen = (choose as Choose)(value, ctx);
    return chosen instanceof Promise ? chosen.then(toKeys) : toKeys(chosen);
  };
}

function toKeys(chosen: unknown): unknown {
  if (chosen instanceof NodeHandle) return chosen.key;
  return Array.isArray(chosen) ? chosen.map(toKeys) : chosen;
}
