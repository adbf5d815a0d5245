import { isPromiseLike } from "../is.js";
import type { ChainCompileOptions } from "./compile-options.js";
import { type EndChecks, readEndChecks } from "./end-checks.js";
import { droppedChain, duplicateNode, emptyGraph, invalidChain, memberOutputKey } from "./errors.js";
import { passthrough } from "./lambda.js";
import { checkToolsNode, toNode } from "./node.js";
import { type NamedNode, readEntries } from "./node-entries.js";
import { Draft, type DraftNode, newDraftNode } from "./plan/draft.js";
import { checkFieldKey } from "./plan/key.js";
import { makePlan } from "./plan/make-plan.js";
import { END_INDEX, type Plan, type PlanEdge, START } from "./plan/plan.js";
import { caseReader } from "./plan/switch.js";

interface Choice {
  readonly choose: Choose;
  readonly stream: boolean;
  readonly labels?: readonly string[];
}

/** One step of a chain: its parallel nodes, and the step before it. */
interface Step {
  readonly previous: Step | undefined;
  readonly nodes: readonly DraftNode[];
  /** Chooses among the nodes; without it all of them run. */
  readonly choice: Choice | undefined;
}

/** The state that all chains with a common start share. */
interface Beginning extends EndChecks {
  readonly state: unknown;
}

/**
 * The implementation of {@link Chain}, without its types. It is immutable: a step returns a new builder, which shares the steps so
 * far.
 */
export class ChainBuilder {
  readonly #beginning: Beginning;
  readonly #last: Step | undefined;
  readonly #count: number;
  /** The keys of its nodes. The first builder that continues from here takes the set over; others collect the keys again. */
  #keys: Set<string> | undefined;
  /** The first method that continued from here, to tell an empty chain from one whose returned chain was dropped. */
  #continuedBy: string | undefined = undefined;

  private constructor(beginning: Beginning, last: Step | undefined, count: number, keys: Set<string>) {
    this.#beginning = beginning;
    this.#last = last;
    this.#count = count;
    this.#keys = keys;
  }

  static start(options: object): ChainBuilder {
    return new ChainBuilder({ ...readEndChecks("chain", options), state: undefined }, undefined, 0, new Set());
  }

  withState(state: unknown): ChainBuilder {
    const draft = this.#draft();
    draft.setState(state);
    return new ChainBuilder({ ...this.#beginning, state: draft.state }, undefined, 0, new Set());
  }

  append(method: string, node: unknown, given: object | undefined): ChainBuilder {
    const { key = `node_${this.#count}`, options } = splitKey(given);
    if (method === "appendToolsNode") checkToolsNode(method, key, node);
    const added = this.#newNode(key, node, options);
    return this.#next(method, [added], undefined);
  }

  appendParallel(nodes: unknown): ChainBuilder {
    const joined = this.#joined("appendParallel");
    if (joined !== this) return joined.appendParallel(nodes);
    const members = readMembers("appendParallel", nodes).map(({ key, node, options }) => {
      if (options !== undefined && "outputKey" in options) throw memberOutputKey(key);
      return this.#newNode(`node_${this.#count}_parallel_${key}`, node, { ...options, outputKey: key });
    });
    return this.#next("appendParallel", members, undefined);
  }

  appendBranch(choose: unknown, nodes: unknown, stream: boolean): ChainBuilder {
    const method = stream ? "appendStreamBranch" : "appendBranch";
    const joined = this.#joined(method);
    if (joined !== this) return joined.appendBranch(choose, nodes, stream);
    if (typeof choose !== "function") {
      throw invalidChain(`${method} needs a function that chooses, then the members to choose from.`);
    }
    const names = new Map<string, string>();
    const members = readMembers(method, nodes).map(({ key, node, options }) => {
      names.set(key, `node_${this.#count}_branch_${key}`);
      return this.#newNode(names.get(key), node, options);
    });
    return this.#next(method, members, { choose: choosingNames(choose as Choose, names), stream });
  }

  appendSwitch(field: unknown, nodes: unknown): ChainBuilder {
    const joined = this.#joined("appendSwitch");
    if (joined !== this) return joined.appendSwitch(field, nodes);
    const names = new Map<string, string>();
    const members = readMembers("appendSwitch", nodes).map(({ key, node, options }) => {
      names.set(key, `node_${this.#count}_branch_${key}`);
      return this.#newNode(names.get(key), node, options);
    });
    const labels = [...names.keys()];
    const read = caseReader(this.#last?.nodes[0]?.key ?? START, field, labels);
    const choose: Choose = (value) => names.get(read(value));
    return this.#next("appendSwitch", members, { choose, stream: false, labels });
  }

  makePlan(options: ChainCompileOptions<string> | undefined): Plan {
    if (this.#last === undefined) {
      throw this.#continuedBy === undefined ? emptyGraph("chain") : droppedChain(this.#continuedBy);
    }
    const draft = this.#draft();
    const { checkInput, checkOutput } = this.#beginning;
    const closing = this.#last.nodes.map(({ key }): PlanEdge => {
      return { from: draft.indexOf(key) ?? 0, to: END_INDEX, on: "value", data: true, control: true };
    });
    return makePlan(draft, { options, closing, checkInput, checkOutput });
  }

  /** A draft of all steps so far. */
  #draft(): Draft {
    const draft = new Draft("chain", toNode);
    if (this.#beginning.state !== undefined) draft.setState(this.#beginning.state);
    let tails: readonly string[] = [START];
    for (const { nodes, choice } of this.#steps()) {
      for (const node of nodes) draft.add(node);
      const keys = nodes.map(({ key }) => key);
      for (const tail of tails) {
        if (choice === undefined) for (const key of keys) draft.addEdge(tail, key);
        else draft.addBranch(tail, keys, choice.choose, choice);
      }
      tails = keys;
    }
    return draft;
  }

  #steps(): Step[] {
    const steps: Step[] = [];
    for (let step = this.#last; step !== undefined; step = step.previous) steps.push(step);
    return steps.reverse();
  }

  #newNode(key: unknown, node: unknown, options: object | undefined): DraftNode {
    this.#keys ??= new Set(this.#steps().flatMap(({ nodes }) => nodes.map((added) => added.key)));
    if (typeof key === "string" && this.#keys.has(key)) throw duplicateNode(key);
    return newDraftNode(key, node, options, { toNode, hasState: this.#beginning.state !== undefined });
  }

  #next(method: string, nodes: readonly DraftNode[], choice: Step["choice"]): ChainBuilder {
    const keys = this.#keys ?? new Set();
    for (const { key } of nodes) keys.add(key);
    this.#keys = undefined;
    this.#continuedBy ??= method;
    return new ChainBuilder(this.#beginning, { previous: this.#last, nodes, choice }, this.#count + 1, keys);
  }

  /** The chain with one end: several are joined by a passthrough, before they part again. */
  #joined(method: string): ChainBuilder {
    if (this.#last === undefined || this.#last.nodes.length === 1) return this;
    return this.append(method, passthrough(), undefined);
  }
}

function readMembers(method: string, nodes: unknown): NamedNode[] {
  const members = readEntries(method, nodes);
  if (members.length < 2) throw invalidChain(`${method} needs at least two members (got ${members.length}).`);
  for (const { key } of members) checkFieldKey(`The key of a member of ${method},`, key);
  return members;
}

/** Splits the options of a step into its key and the node options. */
function splitKey(given: object | undefined): { key: unknown; options: object | undefined } {
  if (given === undefined || given === null || !("key" in given)) return { key: undefined, options: given };
  const { key, ...options } = given;
  return { key, options };
}

type Choose = (value: unknown, ctx: unknown) => unknown;

/** Maps the chosen member keys of a branch to the keys of their nodes. */
function choosingNames(choose: Choose, names: ReadonlyMap<unknown, string>): Choose {
  const toName = (key: unknown): unknown => names.get(key) ?? key;
  const toNames = (chosen: unknown): unknown => (Array.isArray(chosen) ? chosen.map(toName) : toName(chosen));
  return (value, ctx) => {
    const chosen = choose(value, ctx);
    return isPromiseLike(chosen) ? chosen.then(toNames) : toNames(chosen);
  };
}
