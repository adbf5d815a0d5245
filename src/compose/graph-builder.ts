import { isPlainObject, isPromiseLike } from "../is.js";
import type { CompileOptions } from "./compile-options.js";
import { type EndChecks, readEndChecks } from "./end-checks.js";
import { edgeOfHandles, foreignHandle, invalidBranch, invalidSwitch, mixedStyles, partOfBranch } from "./errors.js";
import { toNode } from "./node.js";
import { readEntries } from "./node-entries.js";
import { NodeHandle } from "./node-handle.js";
import { Draft } from "./plan/draft.js";
import { makePlan } from "./plan/make-plan.js";
import { checksRest, END, type Plan, START } from "./plan/plan.js";
import { caseReader, targetsOfCases } from "./plan/switch.js";

/** The implementation of {@link Graph}, without its types: takes keys or handles, and builds a draft. */
export class GraphBuilder {
  readonly start: NodeHandle = new NodeHandle(START, this);
  readonly end: NodeHandle = new NodeHandle(END, this);
  readonly #draft = new Draft("graph", toNode);
  readonly #ends: EndChecks;
  #style: "keys" | "handles" | undefined = undefined;

  constructor(options: object) {
    this.#ends = readEndChecks("graph", options);
  }

  setState(state: unknown): void {
    this.#draft.setState(state);
  }

  addNode(key: unknown, node: unknown, options: object | undefined): void {
    this.#in("keys", key, () => this.#draft.add(this.#draft.newNode(key, node, options)));
  }

  addNodes(nodes: unknown): void {
    const entries = readEntries("addNodes", nodes);
    this.#in("keys", entries[0]?.key, () => {
      const added = entries.map(({ key, node, options }) => this.#draft.newNode(key, node, options));
      for (const node of added) this.#draft.add(node);
    });
  }

  node(key: unknown, node: unknown, options: object | undefined): NodeHandle {
    return this.#in("handles", key, () => {
      const added = this.#draft.newNode(key, node, options);
      this.#draft.add(added);
      return new NodeHandle(added.key, this);
    });
  }

  addEdge(from: unknown, to: unknown): void {
    for (const end of [from, to]) if (end instanceof NodeHandle) throw edgeOfHandles(end.key);
    this.#in("keys", from, () => this.#draft.addEdge(from, to));
  }

  connect(from: unknown, to: unknown): void {
    this.#in("handles", from, () => this.#draft.addEdge(this.#keyOf(from), this.#keyOf(to)));
  }

  addBranch(from: unknown, targets: unknown, choose: unknown, stream: boolean): void {
    if (from instanceof NodeHandle)
      this.#in("handles", from, () => this.#addHandleBranch(from, targets, choose, { stream }));
    else this.#in("keys", from, () => this.#draft.addBranch(from, targets, choose, { stream }));
  }

  addErrorBranch(from: unknown, targets: unknown, choose: unknown): void {
    if (from instanceof NodeHandle)
      this.#in("handles", from, () => this.#addHandleBranch(from, targets, choose, { on: "failure" }));
    else this.#in("keys", from, () => this.#draft.addBranch(from, targets, choose, { on: "failure" }));
  }

  addSwitch(from: unknown, field: unknown, cases: unknown): void {
    const isHandle = from instanceof NodeHandle;
    this.#in(isHandle ? "handles" : "keys", from, () => {
      const source = isHandle ? this.#keyOf(from) : from;
      const owner = String(source);
      if (!isPlainObject(cases)) throw invalidSwitch(owner, "needs a record of cases: { value: target }.");
      const keys = new Map(
        Object.entries(cases).map(([name, target]) => [name, isHandle ? this.#wholeKeyOf(target, owner) : target]),
      );
      const read = caseReader(owner, field, [...keys.keys()]);
      const { targets, labels } = targetsOfCases(keys);
      this.#draft.addBranch(source, targets, (value: unknown) => keys.get(read(value)), { labels });
    });
  }

  makePlan(options: CompileOptions<string> | undefined): Plan {
    return makePlan(this.#draft, { options, ...this.#ends });
  }

  #addHandleBranch(
    from: NodeHandle,
    targets: unknown,
    choose: unknown,
    kind: { readonly stream?: boolean; readonly on?: "failure" },
  ): void {
    if (!Array.isArray(targets)) throw invalidBranch(from.key, "needs an array of the targets it may choose.");
    const keys = targets.map((target) => this.#wholeKeyOf(target, from.key));
    this.#draft.addBranch(this.#keyOf(from), keys, choosingKeys(choose), kind);
  }

  #wholeKeyOf(target: unknown, from: string): string {
    if (target instanceof NodeHandle && target.isPart) throw partOfBranch(from, target.key);
    return this.#keyOf(target);
  }

  /** Checks that a graph uses either keys or handles. The first node or edge decides. */
  #in<Done>(style: "keys" | "handles", key: unknown, work: () => Done): Done {
    if (this.#style !== undefined && this.#style !== style) throw mixedStyles(key, this.#style);
    const done = work();
    this.#style = style;
    return done;
  }

  #keyOf(handle: unknown): string {
    if (!(handle instanceof NodeHandle)) throw mixedStyles(handle, "handles");
    if (!handle.belongsTo(this)) throw foreignHandle(handle.key);
    return handle.key;
  }
}

type Choose = (value: unknown, ctx: unknown) => unknown;

/** Maps the handles that a branch chooses to keys. */
function choosingKeys(choose: unknown): unknown {
  if (typeof choose !== "function") return choose;
  const byKey = (value: unknown, ctx: unknown): unknown => {
    const chosen = (choose as Choose)(value, ctx);
    if (chosen instanceof NodeHandle) return chosen.key;
    return isPromiseLike(chosen) ? chosen.then(toKeys) : toKeys(chosen);
  };
  return checksRest in choose ? Object.assign(byKey, { [checksRest]: choose[checksRest] }) : byKey;
}

function toKeys(chosen: unknown): unknown {
  if (chosen instanceof NodeHandle) return chosen.key;
  return Array.isArray(chosen) ? chosen.map(toKeys) : chosen;
}
