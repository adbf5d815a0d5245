import { isPlainObject } from "../is.js";
import type { CompileOptions } from "./compile-options.js";
import { type EndChecks, readEndChecks } from "./end-checks.js";
import { invalidSwitch } from "./errors.js";
import { checkToolsNode, toNode } from "./node.js";
import { readEntries } from "./node-entries.js";
import { Draft } from "./plan/draft.js";
import { makePlan } from "./plan/make-plan.js";
import type { Plan, PlanBranch } from "./plan/plan.js";
import { caseReader, targetsOfCases } from "./plan/switch.js";

type BranchKind = Partial<Pick<PlanBranch, "stream" | "labels" | "on">>;

/** The implementation of {@link Graph}, without its types. */
export class GraphBuilder {
  readonly #draft = new Draft("graph", toNode);
  readonly #ends: EndChecks;
  /** Edges and branches of an untyped graph, which may name nodes that are not added yet. */
  #pending: (() => void)[] | undefined = undefined;

  constructor(options: object) {
    this.#ends = readEndChecks("graph", options);
  }

  setState(state: unknown): void {
    this.#draft.setState(state);
  }

  addNode(key: unknown, node: unknown, options: object | undefined): void {
    this.#draft.add(this.#draft.newNode(key, node, options));
  }

  addToolsNode(key: unknown, node: unknown, options: object | undefined): void {
    checkToolsNode("addToolsNode", key, node);
    this.addNode(key, node, options);
  }

  addNodes(nodes: unknown): void {
    const added = readEntries("addNodes", nodes).map(({ key, node, options }) =>
      this.#draft.newNode(key, node, options),
    );
    for (const node of added) this.#draft.add(node);
  }

  addEdge(from: unknown, to: unknown): void {
    this.#connect(() => this.#draft.addEdge(from, to));
  }

  addBranch(from: unknown, targets: unknown, choose: unknown, stream: boolean): void {
    this.#addBranch(from, targets, choose, { stream });
  }

  addErrorBranch(from: unknown, targets: unknown, choose: unknown): void {
    this.#addBranch(from, targets, choose, { on: "failure" });
  }

  addSwitch(from: unknown, field: unknown, cases: unknown): void {
    const owner = String(from);
    if (!isPlainObject(cases)) throw invalidSwitch(owner, "needs a record of cases: { value: target }.");
    const keys = new Map(Object.entries(cases));
    const read = caseReader(owner, field, [...keys.keys()]);
    const { targets, labels } = targetsOfCases(keys);
    this.#addBranch(from, targets, (value: unknown) => keys.get(read(value)), { labels });
  }

  #addBranch(from: unknown, targets: unknown, choose: unknown, how: BranchKind): void {
    const listed = Array.isArray(targets) ? [...targets] : targets;
    this.#connect(() => this.#draft.addBranch(from, listed, choose, how));
  }

  /** From now on, edges and branches wait for `makePlan`. */
  untyped(): void {
    this.#pending ??= [];
  }

  #connect(add: () => void): void {
    if (this.#pending === undefined) add();
    else this.#pending.push(add);
  }

  /** An edge that fails stays pending, so that each `compile()` reports it. */
  #connectPending(): void {
    const pending = this.#pending ?? [];
    let done = 0;
    try {
      for (const add of pending) {
        add();
        done++;
      }
    } finally {
      pending.splice(0, done);
    }
  }

  makePlan(options: CompileOptions<string> | undefined): Plan {
    this.#connectPending();
    return makePlan(this.#draft, { options, ...this.#ends });
  }
}
