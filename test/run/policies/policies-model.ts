import { failureOf, joined } from "./build-policies.js";
import { calm, type GraphSpec, type NodeSpec, type RetrySpec, type RunSpec } from "./random-policies.js";

/** How a run is started, as far as it makes a difference: on values, or on streams. */
export type Flow = "values" | "streams";

/** What a run gives: a text, or one of some errors, each with its place and what caused it. */
export interface Prediction {
  readonly text: string | undefined;
  readonly errors: readonly string[];
  /** How often functions are called: exactly, or at least and at most. */
  readonly calls: Readonly<Record<string, readonly [least: number, most: number]>>;
}

/** A failure on its way out. */
class Failure {
  readonly code: string;
  readonly path: readonly string[];
  readonly cause: string;
  readonly isLasting: boolean;
  /** Chunks of the node that has failed were handed on. */
  wasHandedOn: boolean;
  /** What may be seen instead: of nodes beside each other, one fails first. */
  others: readonly Failure[] = [];

  constructor(code: string, path: readonly string[], cause: string, isLasting = false, wasHandedOn = false) {
    this.code = code;
    this.path = path;
    this.cause = cause;
    this.isLasting = isLasting;
    this.wasHandedOn = wasHandedOn;
  }

  get text(): string {
    return `${this.code} at ${this.path.join("/")}: ${this.cause}`;
  }
}

/** The time of a graph around is over. */
class Expired {
  readonly limit: object;

  constructor(limit: object) {
    this.limit = limit;
  }
}

/** Where a task has come to in its graph: what has ended stays, whatever is tried again around it. */
type Ended = Map<string, string>;

/** Written from the contract, with plain loops: what policies make of the failures of nodes. */
export class PoliciesModel {
  readonly #spec: RunSpec;
  readonly #flow: Flow;
  readonly #counts: Record<string, number> = {};
  /** How often a function may have been called beyond that, or may not. */
  readonly #slack: Record<string, readonly [fewer: number, more: number]> = {};
  readonly #cached = new Map<string, string>();
  #now = 0;
  #limits: { readonly end: number }[] = [];

  constructor(spec: RunSpec, flow: Flow) {
    this.#spec = spec;
    this.#flow = flow;
  }

  /** What the next run gives; counts go on. */
  run(input: string): Prediction {
    let text: string | undefined;
    let errors: string[] = [];
    try {
      text = this.#graph(this.#spec.graph, [], input, new Map());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      errors = [error, ...error.others].map((one) => one.text);
    }
    const ranges = Object.entries(this.#counts).map(([path, count]) => {
      const [fewer, more] = this.#slack[path] ?? [0, 0];
      return [path, [count - fewer, count + more]] as const;
    });
    return { text, errors, calls: Object.fromEntries(ranges) };
  }

  #graph(spec: GraphSpec, path: readonly string[], input: string, ended: Ended): string {
    const { shape, nodes, turns } = spec;
    if (shape === "fan") return this.#fan(nodes, path, input, ended);
    let text = input;
    for (const [n, node] of nodes.entries()) {
      const isLast = n === nodes.length - 1;
      if (shape !== "loop" || n > 0) {
        text = this.#task(node, path, text, ended, isLast, nodes.slice(n + 1));
        continue;
      }
      for (let turn = 0; turn < turns; turn++) {
        const { given, wasRescued } = this.#ended(node, path, text, new Map(), false, []);
        text = given;
        // the way of the rescuer leads out of the loop, and nothing is decided
        if (wasRescued) break;
      }
    }
    return text;
  }

  /** Two nodes beside each other: where one fails, the other may have come to any point. */
  #fan(nodes: readonly NodeSpec[], path: readonly string[], input: string, ended: Ended): string {
    const [head, left, right, join] = nodes as [NodeSpec, NodeSpec, NodeSpec, NodeSpec];
    const text = this.#task(head, path, input, ended, false, []);
    const begun = this.#now;
    const failures: Failure[] = [];
    const record: Record<string, string> = {};
    const before = { ...this.#counts };
    let end = begun;
    for (const side of [left, right]) {
      this.#now = begun;
      try {
        const { given, wasRescued } = this.#ended(side, path, text, ended, false, []);
        record[wasRescued ? `${side.key}Rescue` : side.key] = given;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
      end = Math.max(end, this.#now);
    }
    this.#now = end;
    const [failure, other] = failures;
    if (failure === undefined) return this.#task(join, path, joined(record), ended, true, []);
    for (const side of [left, right]) {
      const isAlone = failures.length === 1 && failure.path[path.length] === side.key;
      if (!isAlone) this.#loosen([...path, side.key].join("/"), before, ended, side.key);
    }
    const { code, path: place, cause, isLasting } = failure;
    const seen = new Failure(code, place, cause, isLasting);
    seen.others = [...failure.others, ...(other === undefined ? [] : [other, ...other.others])];
    throw seen;
  }

  /** What one side has done when the other fails, nobody knows; it may be done again when that is retried. */
  #loosen(prefix: string, before: Readonly<Record<string, number>>, ended: Ended, key: string): void {
    for (const [path, count] of Object.entries(this.#counts)) {
      if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
      const added = count - (before[path] ?? 0);
      const [fewer, more] = this.#slack[path] ?? [0, 0];
      this.#slack[path] = [fewer + added, more];
    }
    // whoever is called again is counted again, and the first time may have been enough
    ended.delete(key);
  }

  /** A node, and its rescuer where it fails. */
  #task(
    node: NodeSpec,
    path: readonly string[],
    input: string,
    ended: Ended,
    isLast: boolean,
    next: readonly NodeSpec[],
  ): string {
    return this.#ended(node, path, input, ended, isLast, next).given;
  }

  #ended(
    node: NodeSpec,
    path: readonly string[],
    input: string,
    ended: Ended,
    isLast: boolean,
    next: readonly NodeSpec[],
  ): { readonly given: string; readonly wasRescued: boolean } {
    const known = ended.get(node.key);
    if (known !== undefined) return { given: known, wasRescued: ended.has(`${node.key} rescued`) };
    const visit = new Visit(node, path, input);
    let given: string;
    let wasRescued = false;
    try {
      given = this.#visit(visit);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (node.onFailure !== "is rescued") {
        if (this.#flow === "streams") this.#begin(next, path);
        error.wasHandedOn &&= isLast;
        throw error;
      }
      const { code, path: place } = error;
      given = `rescue(${node.key} ${input} ${code} ${place.join("/")} ${visit.attempts})`;
      wasRescued = true;
      ended.set(`${node.key} rescued`, "");
    }
    ended.set(node.key, given);
    return { given, wasRescued };
  }

  /** Nodes that read chunks may have begun when the node before them fails. */
  #begin(next: readonly NodeSpec[], path: readonly string[]): void {
    for (const { key, kind } of next) {
      if (kind !== "transform") return;
      const name = [...path, key].join("/");
      this.#counts[name] ??= 0;
      const [fewer, more] = this.#slack[name] ?? [0, 0];
      this.#slack[name] = [fewer, more + 1];
    }
  }

  #visit(visit: Visit): string {
    const { node, input, name } = visit;
    const { cache, fallback } = node.policies;
    const key = cache === "by input" ? `${name} input ${input}` : `${name} constant`;
    const isCached = cache === "by input" || cache === "by a constant";
    const hit = isCached ? this.#cached.get(key) : undefined;
    if (hit !== undefined) return hit;
    try {
      const text = this.#attempts(visit);
      if (isCached) this.#cached.set(key, text);
      return text;
    } catch (error) {
      if (!(error instanceof Failure) || fallback === undefined) throw error;
      // what it replaces is its cause, and says whether repeating is worth it
      if (fallback === "throws")
        throw new Failure("NODE_FAILED", visit.path, `fallback of ${node.key}`, error.isLasting);
      const { code, path } = error;
      return `instead(rescue(${node.key} ${input} ${code} ${path.join("/")} ${visit.attempts}))`;
    }
  }

  #attempts(visit: Visit): string {
    const { node } = visit;
    const retry = this.#retryOf(visit);
    const isHeld = node.policies.fallback !== undefined || node.onFailure !== "fails" || retry?.buffer === true;
    /** What is inside stays from attempt to attempt. */
    let ended: Ended = new Map();
    for (;;) {
      visit.attempts += 1;
      try {
        return node.inner === undefined ? this.#call(visit) : this.#inner(visit, node.inner, ended);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const mayRepeat = this.#flow === "values" || isHeld || !error.wasHandedOn;
        if (isHeld) error.wasHandedOn = false;
        if (!mayRepeat || retry === undefined || !isWorthIt(retry, visit.attempts, error)) throw error;
        this.#pass(retry.delayMs * 2 ** (visit.attempts - 1));
        ended = new Map(ended);
      }
    }
  }

  /** Defaults are for the nodes of their own graph, and for retries only where the node is a single function. */
  #retryOf({ node, path }: Visit): RetrySpec | undefined {
    const { retry } = node.policies;
    if (retry === false) return undefined;
    const isOwn = path.length === 1 && node.inner === undefined;
    return retry ?? (isOwn ? this.#spec.defaults?.retry : undefined);
  }

  #timeoutOf({ node, path }: Visit): number {
    const own = node.policies.timeoutMs;
    return own ?? (path.length === 1 ? this.#spec.defaults?.timeoutMs : undefined) ?? Number.POSITIVE_INFINITY;
  }

  #inner(visit: Visit, graph: GraphSpec, ended: Ended): string {
    const limit = { end: this.#now + this.#timeoutOf(visit) };
    const limits = this.#limits;
    this.#limits = [...limits, limit];
    try {
      return this.#graph(graph, visit.path, visit.input, ended);
    } catch (error) {
      if (error instanceof Expired && error.limit === limit) throw timedOut(visit);
      throw error;
    } finally {
      this.#limits = limits;
    }
  }

  /** A call of a function: signs of life, one after the other, until it fails or has done. */
  #call(visit: Visit): string {
    const { node, path, input, name } = visit;
    const { idleTimeoutMs = Number.POSITIVE_INFINITY } = node.policies;
    const call = (this.#counts[name] ?? 0) + 1;
    this.#counts[name] = call;
    const { waits, fails } = node.calls[call - 1] ?? calm;
    let left = this.#timeoutOf(visit);
    let handedOn = false;
    const check = (count: number): void => {
      if (fails?.after !== count) return;
      throw new Failure("NODE_FAILED", path, failureOf(node.key, call), fails.isLasting, handedOn);
    };
    for (const [n, ms] of waits.entries()) {
      check(n);
      const limit = Math.min(left, idleTimeoutMs);
      this.#pass(Math.min(ms, limit));
      if (ms > limit) throw timedOut(visit, handedOn);
      left -= ms;
      // of chunks made of chunks the first comes before, and the last after all others
      handedOn = node.kind === "stream" || (node.kind === "transform" && n === 0) || handedOn;
    }
    check(waits.length);
    return `${node.key}${node.calls.length === 0 ? "" : call}(${input})`;
  }

  #pass(ms: number): void {
    const first = this.#limits.toSorted((one, other) => one.end - other.end)[0];
    if (first !== undefined && this.#now + ms > first.end) {
      this.#now = first.end;
      throw new Expired(first);
    }
    this.#now += ms;
  }
}

/** One visit of a node. */
class Visit {
  readonly node: NodeSpec;
  readonly path: readonly string[];
  readonly input: string;
  readonly name: string;
  attempts = 0;

  constructor(node: NodeSpec, path: readonly string[], input: string) {
    this.node = node;
    this.path = [...path, node.key];
    this.input = input;
    this.name = this.path.join("/");
  }
}

function isWorthIt({ attempts, whileBelow }: RetrySpec, attempt: number, { isLasting }: Failure): boolean {
  if (attempt >= attempts) return false;
  return whileBelow === undefined ? !isLasting : attempt < whileBelow;
}

const timedOut = ({ path }: Visit, wasHandedOn = false): Failure =>
  new Failure("NODE_TIMED_OUT", path, "TimeoutError", false, wasHandedOn);
