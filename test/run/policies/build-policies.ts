import {
  type CacheStore,
  type CompiledGraph,
  Graph,
  lambda,
  memoryCache,
  type NodeContext,
  type NodeFailure,
  type Runtime,
  type StreamReader,
} from "kumiko";
import {
  type Behaviour,
  calm,
  type GraphSpec,
  type NodeSpec,
  type RetrySpec,
  type RunSpec,
} from "./random-policies.js";

/** What is counted while graphs run. */
export class Lab {
  /** How often the function of each node was called, by its path. */
  readonly calls: Record<string, number> = {};
  readonly runtime: Runtime;
  readonly cache: CacheStore = memoryCache();
  /** How often the loop was decided. */
  turns = 0;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  next(path: string): number {
    const count = (this.calls[path] ?? 0) + 1;
    this.calls[path] = count;
    return count;
  }
}

/** The builder, without its types. */
interface AnyGraph {
  addNode(key: string, node: unknown, options?: object): AnyGraph;
  addEdge(from: string, to: string): AnyGraph;
  addBranch(from: string, targets: readonly string[], choose: () => string): AnyGraph;
  addErrorBranch(from: string, targets: readonly string[], choose: () => string | undefined): AnyGraph;
  compile(options: object): CompiledGraph<string, string>;
}

export function compilePolicies(spec: RunSpec, lab: Lab, options: object): CompiledGraph<string, string> {
  const { retry, timeoutMs } = spec.defaults ?? {};
  const nodeDefaults = spec.defaults === undefined ? undefined : { retry: retry && retryOf(retry), timeoutMs };
  return new Builder(lab, spec.graph, "").build().compile({
    runtime: lab.runtime,
    triggerMode: spec.graph.trigger,
    nodeDefaults,
    ...options,
  });
}

class Builder {
  readonly #graph = new Graph<string, string>() as unknown as AnyGraph;
  readonly #lab: Lab;
  readonly #spec: GraphSpec;
  readonly #path: string;

  constructor(lab: Lab, spec: GraphSpec, path: string) {
    this.#lab = lab;
    this.#spec = spec;
    this.#path = path;
  }

  build(): AnyGraph {
    const { shape, nodes, turns } = this.#spec;
    const keys = nodes.map(({ key }) => key);
    const [first = "", ...rest] = keys;
    for (const node of nodes) this.#add(node);
    this.#graph.addEdge("start", first);
    if (shape === "fan") {
      const [left = "", right = "", join = ""] = rest;
      for (const side of [left, right]) this.#connect(first, side);
      for (const side of [left, right]) this.#connect(side, join);
      this.#connect(join, "end");
      return this.#graph;
    }
    for (const [n, key] of keys.entries()) {
      const next = keys[n + 1] ?? "end";
      if (shape === "loop" && n === 0) this.#loop(key, next, turns);
      else this.#connect(key, next);
    }
    return this.#graph;
  }

  #loop(key: string, next: string, turns: number): void {
    this.#graph.addBranch(key, [key, next], () => (++this.#lab.turns % turns === 0 ? next : key));
    if (this.#nodeOf(key).onFailure !== "fails") this.#graph.addEdge(`${key}Rescue`, next);
  }

  #connect(from: string, to: string): void {
    this.#graph.addEdge(from, to);
    if (this.#nodeOf(from).onFailure !== "fails") this.#graph.addEdge(`${from}Rescue`, to);
  }

  #nodeOf(key: string): NodeSpec {
    return this.#spec.nodes.find((node) => node.key === key) as NodeSpec;
  }

  #add(node: NodeSpec): void {
    const { key, onFailure, inner } = node;
    const { shape, nodes } = this.#spec;
    const path = this.#path === "" ? key : `${this.#path}/${key}`;
    const isSide = shape === "fan" && (key === nodes[1]?.key || key === nodes[2]?.key);
    const joins = shape === "fan" && key === nodes[3]?.key;
    const body = inner === undefined ? functionOf(node, path, joins, this.#lab) : innerGraph(inner, path, this.#lab);
    this.#graph.addNode(key, body, { ...optionsOf(node, this.#lab), outputKey: isSide ? key : undefined });
    if (onFailure === "fails") return;
    const rescuer = `${key}Rescue`;
    this.#graph.addNode(rescuer, rescue, { outputKey: isSide ? rescuer : undefined });
    this.#graph.addErrorBranch(key, [rescuer], () => (onFailure === "is rescued" ? rescuer : undefined));
  }
}

/** A graph inside keeps its own trigger where it is compiled by itself. */
function innerGraph(spec: GraphSpec, path: string, lab: Lab): unknown {
  return new Builder(lab, spec, path).build().compile({ runtime: lab.runtime, triggerMode: spec.trigger });
}

export function rescue({ node, input, error, attempts }: NodeFailure): string {
  return `rescue(${node} ${joined(input)} ${error.code} ${error.nodePath.join("/")} ${attempts})`;
}

/** What a join makes of its sides. */
export const joined = (input: unknown): string =>
  typeof input === "string"
    ? input
    : Object.entries(input as object)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => `${key}=${value}`)
        .join("&");

function optionsOf({ key, policies }: NodeSpec, lab: Lab): object {
  const { retry, timeoutMs, idleTimeoutMs, cache, fallback } = policies;
  return {
    retry: retry === undefined || retry === false ? retry : retryOf(retry),
    timeoutMs,
    idleTimeoutMs,
    cache: cache === undefined ? undefined : { key: cacheKeys[cache], store: cache === failing ? broken : lab.cache },
    fallback:
      fallback &&
      ((failure: NodeFailure) => {
        if (fallback === "throws") throw new Error(`fallback of ${key}`);
        return `instead(${rescue(failure)})`;
      }),
  };
}

function retryOf({ attempts, delayMs, whileBelow, buffer }: RetrySpec): object {
  const retryOn = (_error: unknown, { attempt }: { readonly attempt: number }): boolean => attempt < (whileBelow ?? 0);
  return { attempts, delayMs, buffer, jitter: false, retryOn: whileBelow === undefined ? undefined : retryOn };
}

const failing = "in a store that fails";
const cacheKeys = {
  "by input": undefined,
  "by a constant": () => "constant",
  never: () => undefined,
  [failing]: undefined,
};
const broken: CacheStore = {
  get: async () => Promise.reject(new Error("no connection")),
  set: async () => Promise.reject(new Error("no connection")),
  deletePrefix: async () => undefined,
};

function functionOf(node: NodeSpec, path: string, joins: boolean, lab: Lab): unknown {
  switch (node.kind) {
    case "value":
      return async (input: unknown, ctx: NodeContext): Promise<string> => {
        const call = new Call(node, path, ctx, lab);
        await call.to(call.behaviour.waits.length);
        return call.text(joins ? joined(input) : String(input));
      };
    case "stream":
      return (input: string, ctx: NodeContext): AsyncIterable<string> => {
        const call = new Call(node, path, ctx, lab);
        call.check(0);
        const text = call.text(input);
        const { length } = call.behaviour.waits;
        return (async function* () {
          for (let n = 0; n < length; n++) {
            await call.to(n + 1, n);
            yield piece(text, n, length);
          }
          call.check(length);
        })();
      };
    default:
      return lambda({
        transform: (input: StreamReader<string>, ctx: NodeContext) =>
          transformed(new Call(node, path, ctx, lab), input),
      });
  }
}

function transformed(call: Call, input: StreamReader<string>): AsyncIterable<string> {
  call.check(0);
  return (async function* () {
    await call.to(1, 0);
    yield call.text("").slice(0, -1);
    for await (const chunk of input) yield chunk;
    await call.to(call.behaviour.waits.length, 1);
    call.check(call.behaviour.waits.length);
    yield ")";
  })();
}

const piece = (text: string, n: number, count: number): string => {
  const size = Math.ceil(text.length / count);
  return text.slice(n * size, (n + 1) * size);
};

/** One call of a node's function. */
class Call {
  readonly behaviour: Behaviour;
  readonly #node: NodeSpec;
  readonly #number: number;
  readonly #ctx: NodeContext;
  readonly #lab: Lab;

  constructor(node: NodeSpec, path: string, ctx: NodeContext, lab: Lab) {
    this.#number = lab.next(path);
    this.#node = node;
    this.#ctx = ctx;
    this.#lab = lab;
    this.behaviour = node.calls[this.#number - 1] ?? calm;
  }

  /** A node that has nothing to fail at may be run again after a stop: its text does not tell. */
  text(input: string): string {
    const { key, calls } = this.#node;
    return `${key}${calls.length === 0 ? "" : this.#number}(${input})`;
  }

  /** Throws where it is to fail after so many signs of life. */
  check(count: number): void {
    const { fails } = this.behaviour;
    if (fails?.after !== count) return;
    const message = failureOf(this.#node.key, this.#number);
    throw Object.assign(new Error(message), fails.isLasting ? { isRetryable: false } : {});
  }

  /** Waits until it has given so many signs of life, and fails on the way. */
  async to(count: number, from = 0): Promise<void> {
    const { waits } = this.behaviour;
    for (let n = from; n < count; n++) {
      this.check(n);
      await this.#wait(waits[n] ?? 0);
      if (this.#node.kind === "value") this.#ctx.heartbeat();
    }
    if (this.#node.kind === "value") this.check(count);
  }

  #wait(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    const { clock } = this.#lab.runtime;
    const { signal } = this.#ctx;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(resolve, ms);
      if (this.#node.heeds === "nothing") return;
      const stop = (): void => {
        clock.clearTimer(timer);
        reject(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }
}

export const failureOf = (key: string, call: number): string => `${key} failed in call ${call}`;
