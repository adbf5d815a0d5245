import { checkOptions } from "../check-options.js";
import { KumikoError } from "../errors.js";
import { isPlainObject } from "../is.js";
import { planInput } from "../run/mapping/plan-input.js";
import type { CompileOptions } from "./compile-options.js";
import { type EndChecks, readEndChecks } from "./end-checks.js";
import {
  endAsSource,
  endTwice,
  invalidBranch,
  invalidNodeOption,
  invalidSwitch,
  noEnd,
  startAsTarget,
  unknownNode,
} from "./errors.js";
import { checkToolsNode, toNode } from "./node.js";
import { Draft } from "./plan/draft.js";
import { makePlan } from "./plan/make-plan.js";
import { type MappingPlan, readMapping } from "./plan/mapping.js";
import { nodeOptionNames } from "./plan/node-settings.js";
import { END, END_INDEX, type Plan, type PlanBranch, START, START_INDEX } from "./plan/plan.js";
import { caseReader, targetsOfCases } from "./plan/switch.js";
import { type WiredNode, wire } from "./plan/wiring.js";

/** A branch whose targets need not be added yet. */
interface DraftBranch extends Omit<PlanBranch, "from" | "targets"> {
  readonly from: string;
  readonly targets: readonly string[];
}

/** The mapping of a node without `input`. */
const nothing: MappingPlan = { kind: "constant", value: undefined };

/** Options of a node in a graph that a workflow replaces by mappings. */
const otherOptions = ["inputKey", "outputKey", "merge"];
const optionNames = ["input", "runAfter", ...nodeOptionNames.filter((name) => !otherOptions.includes(name))];

/** The implementation of {@link Workflow}, without its types: collects what each node reads, and wires it at `compile()`. */
export class WorkflowBuilder {
  readonly #draft = new Draft("workflow", toNode);
  readonly #ends: EndChecks;
  /** The nodes by index; START has none. */
  readonly #wired: (WiredNode | undefined)[] = [undefined, undefined];
  readonly #branches: DraftBranch[] = [];

  constructor(options: object) {
    this.#ends = readEndChecks("workflow", options);
  }

  setState(state: unknown): void {
    this.#draft.setState(state);
  }

  addNode(key: unknown, node: unknown, given: object | undefined): void {
    const { input, runAfter, options } = splitOptions(String(key), given);
    const added = this.#draft.newNode(key, node, options);
    const wired = readWired(added.key, input, runAfter);
    this.#draft.add(added);
    this.#wired.push(wired);
  }

  addToolsNode(key: unknown, node: unknown, given: object | undefined): void {
    checkToolsNode("addToolsNode", key, node);
    this.addNode(key, node, given);
  }

  addBranch(from: unknown, targets: unknown, choose: unknown, stream: boolean): void {
    this.#addFunction(checkSource(from), targets, choose, { stream, on: "value" });
  }

  #addFunction(from: string, targets: unknown, choose: unknown, how: Pick<DraftBranch, "stream" | "on">): void {
    if (!Array.isArray(targets)) throw invalidBranch(from, "needs an array of the targets it may choose.");
    if (targets.length === 0) throw invalidBranch(from, "has no targets: list the nodes it may choose.");
    if (typeof choose !== "function") throw invalidBranch(from, "needs a function that chooses among its targets.");
    this.#addBranch(from, targets, { choose: choose as PlanBranch["choose"], labels: undefined, ...how });
  }

  addErrorBranch(from: unknown, targets: unknown, choose: unknown): void {
    const key = checkSource(from);
    if (key === START) throw invalidBranch(key, "cannot be an error branch: START does not fail.");
    if (this.#branches.some((branch) => branch.on === "failure" && branch.from === key))
      throw invalidBranch(key, "is a second error branch: a node can have only one.");
    this.#addFunction(key, targets, choose, { stream: false, on: "failure" });
  }

  addSwitch(from: unknown, field: unknown, cases: unknown): void {
    const key = checkSource(from);
    if (!isPlainObject(cases)) throw invalidSwitch(key, "needs a record of cases: { value: target }.");
    const keys = new Map(Object.entries(cases));
    const read = caseReader(key, field, [...keys.keys()]);
    const { targets, labels } = targetsOfCases(keys);
    this.#addBranch(key, targets, {
      choose: (value: unknown) => keys.get(read(value)),
      stream: false,
      labels,
      on: "value",
    });
  }

  #addBranch(from: string, targets: readonly unknown[], how: Omit<DraftBranch, "from" | "targets">): void {
    const known = new Set<unknown>();
    for (const target of targets) {
      if (target === START) throw startAsTarget(from);
      if (typeof target !== "string") throw invalidBranch(from, "has a target that is not the key of a node.");
      if (known.has(target)) throw invalidBranch(from, `lists "${target}" twice.`);
      known.add(target);
    }
    this.#branches.push({ from, targets: targets as readonly string[], ...how });
  }

  end(mapping: unknown, options: { readonly runAfter?: unknown } = {}): void {
    if (this.#wired[END_INDEX] !== undefined) throw endTwice();
    checkOptions("end(…)", options, ["runAfter"]);
    this.#wired[END_INDEX] = readWired(END, mapping, options.runAfter);
  }

  makePlan(options: CompileOptions<string> | undefined): Plan {
    if (this.#wired[END_INDEX] === undefined) throw noEnd();
    const keys = [START, END, ...this.#draft.nodes.map(({ key }) => key)];
    const indexOf = (key: string): number | undefined => this.#draft.indexOf(key);
    const branches = this.#branches.map((branch) => this.#placed(branch, keys));
    const closing = wire({ nodes: this.#wired, keys, indexOf, branches });
    const inputs = new Map(
      this.#wired.flatMap((node, index) => {
        if (node === undefined) return [];
        return [[index, planInput(node.mapping ?? nothing, (key) => indexOf(key) ?? START_INDEX)] as const];
      }),
    );
    return makePlan(this.#draft, { options, closing, branches, inputs, ...this.#ends });
  }

  #placed({ from, targets, choose, stream, labels, on }: DraftBranch, keys: readonly string[]): PlanBranch {
    const place = (key: string, what: string): number => {
      const index = this.#draft.indexOf(key);
      if (index === undefined) throw unknownNode(what, key, keys.slice(END_INDEX + 1));
      return index;
    };
    return {
      from: place(from, "The source of a branch,"),
      targets: targets.map((target) => place(target, "branch end node")),
      choose,
      stream,
      on,
      labels,
    };
  }
}

function checkSource(from: unknown): string {
  if (from === END) throw endAsSource();
  if (typeof from !== "string") throw unknownNode("The source of a branch,", from, []);
  return from;
}

function readWired(key: string, input: unknown, runAfter: unknown): WiredNode {
  return { mapping: input === undefined ? undefined : readMapping(key, input), runAfter: readRunAfter(key, runAfter) };
}

function readRunAfter(key: string, runAfter: unknown): readonly string[] {
  if (runAfter === undefined) return [];
  if (!Array.isArray(runAfter) || !runAfter.every((after) => typeof after === "string")) {
    throw invalidNodeOption(key, "runAfter must be an array of node keys.");
  }
  if (runAfter.includes(END)) throw invalidNodeOption(key, "runAfter names END, but nothing runs after END.");
  return [...runAfter];
}

function splitOptions(key: string, given: object | undefined) {
  if (given === undefined) return { input: undefined, runAfter: undefined, options: undefined };
  if (typeof given !== "object" || given === null) throw invalidNodeOption(key, "they must be an object.");
  const other = otherOptions.find((name) => Reflect.get(given, name) !== undefined);
  if (other !== undefined)
    throw invalidNodeOption(key, `a workflow has no "${other}". Use input to map the outputs of other nodes.`);
  const refuse = (text: string): KumikoError => new KumikoError("INVALID_OPTION", text, { nodePath: [key] });
  checkOptions(`node "${key}"`, given, optionNames, { refuse });
  const { input, runAfter, ...options }: { readonly input?: unknown; readonly runAfter?: unknown } = given;
  return { input, runAfter, options };
}
