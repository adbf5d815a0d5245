import { isPromiseLike } from "../is.js";
import type { ChainCompileOptions } from "./compile-options.js";
import { type EndChecks, readEndChecks } from "./end-checks.js";
import { emptyGraph, invalidChain, memberOutputKey } from "./errors.js";
import { toNode } from "./node.js";
import { type NamedNode, readEntries } from "./node-entries.js";
import { Draft } from "./plan/draft.js";
import { checkFieldKey } from "./plan/key.js";
import { makePlan } from "./plan/make-plan.js";
import { END_INDEX, type Plan, type PlanEdge, START } from "./plan/plan.js";

/** What a {@link Chain} does, without its types: steps in, a draft out. */
export class ChainBuilder {
  readonly #draft = new Draft("chain", toNode);
  readonly #ends: EndChecks;
  #steps = 0;
  /** The nodes whose outputs go to the next step: several behind a parallel step or a branch. */
  #tails: readonly string[] = [START];

  constructor(options: object) {
    this.#ends = readEndChecks("chain", options);
  }

  setState(state: unknown): void {
    this.#draft.setState(state);
  }

  append(node: unknown, given: object | undefined): void {
    const { key, options } = splitKey(given);
    const added = this.#draft.newNode(key === undefined ? `node_${this.#steps}` : key, node, options);
    this.#draft.add(added);
    for (const tail of this.#tails) this.#draft.addEdge(tail, added.key);
    this.#endStep([added.key]);
  }

  appendParallel(nodes: unknown): void {
    const tail = this.#onlyTail("appendParallel");
    const members = readMembers("appendParallel", nodes).map(({ key, node, options }) => {
      if (options !== undefined && "outputKey" in options) throw memberOutputKey(key);
      return this.#draft.newNode(`node_${this.#steps}_parallel_${key}`, node, { ...options, outputKey: key });
    });
    for (const member of members) {
      this.#draft.add(member);
      this.#draft.addEdge(tail, member.key);
    }
    this.#endStep(members.map(({ key }) => key));
  }

  appendBranch(choose: unknown, nodes: unknown, stream: boolean): void {
    const method = stream ? "appendStreamBranch" : "appendBranch";
    const tail = this.#onlyTail(method);
    if (typeof choose !== "function") {
      throw invalidChain(`${method} takes a function that chooses, then the members it chooses from.`);
    }
    const names = new Map<string, string>();
    const members = readMembers(method, nodes).map(({ key, node, options }) => {
      names.set(key, `node_${this.#steps}_branch_${key}`);
      return this.#draft.newNode(names.get(key), node, options);
    });
    for (const member of members) this.#draft.add(member);
    this.#draft.addBranch(tail, [...names.values()], choosingNames(choose as Choose, names), stream);
    this.#endStep([...names.values()]);
  }

  makePlan(options: ChainCompileOptions<string> | undefined): Plan {
    if (this.#steps === 0) throw emptyGraph("chain");
    return makePlan(this.#draft, {
      options,
      closing: this.#tails.map((tail): PlanEdge => ({ from: this.#draft.indexOf(tail) ?? 0, to: END_INDEX })),
      ...this.#ends,
    });
  }

  #onlyTail(method: string): string {
    const [tail, ...others] = this.#tails;
    if (tail !== undefined && others.length === 0) return tail;
    throw invalidChain(
      `${method} has multiple previous nodes: it stands directly behind a parallel step or a branch. Put a step between, such as appendPassthrough().`,
    );
  }

  #endStep(tails: readonly string[]): void {
    this.#tails = tails;
    this.#steps += 1;
  }
}

function readMembers(method: string, nodes: unknown): NamedNode[] {
  const members = readEntries(method, nodes);
  if (members.length < 2) throw invalidChain(`${method} needs at least two members, and has ${members.length}.`);
  for (const { key } of members) checkFieldKey(`The key of a member of ${method},`, key);
  return members;
}

/** The key of a step stands among its options. */
function splitKey(given: object | undefined): { key: unknown; options: object | undefined } {
  if (given === undefined || given === null || !("key" in given)) return { key: undefined, options: given };
  const { key, ...options } = given;
  return { key, options };
}

type Choose = (value: unknown, ctx: unknown) => unknown;

/** A branch of a chain chooses keys of its members; the plan knows the names of their nodes. */
function choosingNames(choose: Choose, names: ReadonlyMap<unknown, string>): Choose {
  const toName = (key: unknown): unknown => names.get(key) ?? key;
  const toNames = (chosen: unknown): unknown => (Array.isArray(chosen) ? chosen.map(toName) : toName(chosen));
  return (value, ctx) => {
    const chosen = choose(value, ctx);
    return isPromiseLike(chosen) ? chosen.then(toNames) : toNames(chosen);
  };
}
