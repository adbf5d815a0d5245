import {
  type CacheStore,
  Chain,
  type CompiledGraph,
  type CompileOptions,
  END,
  failureOf,
  firstOf,
  from,
  Graph,
  type NodeContext,
  type NodeFailure,
  START,
  Workflow,
} from "kumiko";
import { bodyOf, type Inner, type LooseChain, type Scene } from "./bodies.js";
import { fallbackValue, turnOf } from "./meaning.js";
import type { BranchSpec, FlowSpec, NodeSpec, Value } from "./spec.js";
import { keyOf, letterOf, otherBits, rescuerOf, type Wire, wiringOf } from "./wiring.js";
import { fallbackOf, outputOf, visitOf } from "./words.js";
import type { Process } from "./world.js";

interface LooseGraph {
  addNode(key: string, node: unknown, options?: object): LooseGraph;
  addEdge(from: string, to: string): LooseGraph;
  addBranch(from: string, targets: readonly string[], choose: unknown): LooseGraph;
  addStreamBranch(from: string, targets: readonly string[], choose: unknown): LooseGraph;
  addErrorBranch(from: string, targets: readonly string[], choose: unknown): LooseGraph;
  end(mapping: unknown, options?: object): LooseGraph;
  compile(options?: object): CompiledGraph<Value, Value>;
}

/** Compiles a program for one process. */
export function compile(
  flow: FlowSpec,
  process: Process,
  isAnswered: boolean,
  cache: CacheStore,
  options: CompileOptions,
): CompiledGraph<Value, Value> {
  return new Builder(process, isAnswered, cache, options)
    .flow(flow, "", 0)
    .compile({ name: "top", ...options, ...modeOf(flow) });
}

const modeOf = ({ builder }: FlowSpec): object => {
  if (builder === "levels" || builder === "dag") return { triggerMode: "allPredecessor" };
  return builder === "graph" ? { maxSteps: 200 } : {};
};

class Builder {
  readonly #process: Process;
  readonly #scene: Scene;
  readonly #runtime: CompileOptions["runtime"];

  constructor(process: Process, isAnswered: boolean, cache: CacheStore, { runtime }: CompileOptions) {
    this.#runtime = runtime;
    this.#process = process;
    this.#scene = { process, isAnswered, cache, inner: (spec, path) => this.#inner(spec, path) };
  }

  #inner({ flow }: NodeSpec, path: string): Inner {
    if (flow === undefined) throw new Error("A flow is missing.");
    const depth = path.split("/").length;
    const make = () => this.flow(flow, path, depth);
    const compiled = () => make().compile({ name: letterOf(depth), runtime: this.#runtime, ...modeOf(flow) });
    const needsCompile = flow.compiled || flow.builder === "levels" || flow.builder === "dag";
    return { node: needsCompile ? compiled() : make(), app: compiled };
  }

  flow(spec: FlowSpec, path: string, depth: number): LooseGraph {
    switch (spec.builder) {
      case "chain":
        return this.#chain(spec, path, depth);
      case "graph":
      case "levels":
        return this.#levels(spec, path, depth);
      case "dag":
        return this.#dag(spec, path, depth);
      case "workflow":
        return this.#workflow(spec, path, depth);
      default:
        return spec.builder satisfies never;
    }
  }

  #chain(spec: FlowSpec, path: string, depth: number): LooseGraph {
    let chain = new Chain<Value>() as unknown as LooseChain;
    let fork: { readonly key: string; readonly branch: BranchSpec } | undefined;
    for (const level of wiringOf(spec).levels) {
      const members = level.map((index) => {
        const key = keyOf(index, depth);
        const node = spec.nodes[index] as NodeSpec;
        return {
          key,
          node: bodyOf(node, pathOf(path, key), this.#scene),
          spec: node,
          options: this.#options(node, pathOf(path, key)),
        };
      });
      const [only] = members;
      if (fork !== undefined) {
        const keyed = members.map(({ key, node, options }) => [key, { node, options: { ...options, outputKey: key } }]);
        const keys = members.map(({ key }) => key);
        const choose = this.#choose(fork.branch, pathOf(path, fork.key), keys);
        const record = Object.fromEntries(keyed);
        chain = fork.branch.stream
          ? chain.appendStreamBranch(firstOnly(choose), record)
          : chain.appendBranch(choose, record);
      } else if (members.length === 1 && only !== undefined) {
        chain = chain.append(only.node, { ...only.options, key: only.key, outputKey: only.key });
      } else {
        chain = chain.appendParallel(
          Object.fromEntries(members.map(({ key, node, options }) => [key, { node, options }])),
        );
      }
      fork = only?.spec.branch === undefined ? undefined : { key: only.key, branch: only.spec.branch };
    }
    return chain as unknown as LooseGraph;
  }

  #levels(spec: FlowSpec, path: string, depth: number): LooseGraph {
    const graph = new Graph<Value, Value>() as unknown as LooseGraph;
    const { levels } = wiringOf(spec);
    for (const [n, level] of levels.entries()) {
      const before = n === 0 ? [START] : (levels[n - 1] ?? []).map((index) => keyOf(index, depth));
      for (const index of level) this.#addNode(graph, spec.nodes[index] as NodeSpec, path, keyOf(index, depth));
      this.#join(
        graph,
        spec.nodes[levels[n - 1]?.[0] ?? -1],
        path,
        before,
        level.map((index) => keyOf(index, depth)),
      );
    }
    const last = levels.at(-1) ?? [];
    this.#join(
      graph,
      spec.nodes[last[0] ?? -1],
      path,
      last.map((index) => keyOf(index, depth)),
      [END],
    );
    return graph;
  }

  #addNode(graph: LooseGraph, node: NodeSpec, path: string, key: string): void {
    const own = pathOf(path, key);
    graph.addNode(key, bodyOf(node, own, this.#scene), { ...this.#options(node, own), outputKey: key });
    if (!node.caught) return;
    const rescuer = rescuerOf(key);
    graph.addNode(rescuer, this.#rescuer(pathOf(path, rescuer)), { outputKey: rescuer });
    graph.addErrorBranch(key, [rescuer], () => rescuer);
  }

  /** Leads from a level to the next one. */
  #join(
    graph: LooseGraph,
    first: NodeSpec | undefined,
    path: string,
    before: readonly string[],
    targets: readonly string[],
  ): void {
    const [source = ""] = before;
    if (first?.loop !== undefined) {
      const { loop } = first;
      graph.addBranch(source, [source, ...targets], (value: Value) =>
        turnOf(value, source) < loop ? source : targets,
      );
      return;
    }
    if (first?.branch !== undefined) {
      this.#addBranch(graph, source, targets, first.branch, pathOf(path, source));
      return;
    }
    const sources = first?.caught ? [...before, rescuerOf(source)] : before;
    for (const one of sources) for (const target of targets) graph.addEdge(one, target);
  }

  #addBranch(graph: LooseGraph, source: string, targets: readonly string[], branch: BranchSpec, path: string): void {
    const choose = this.#choose(branch, path, targets);
    if (branch.stream) graph.addStreamBranch(source, targets, firstOnly(choose));
    else graph.addBranch(source, targets, choose);
  }

  #choose({ takes, whim }: BranchSpec, path: string, targets: readonly string[]): () => Promise<readonly string[]> {
    return async () => {
      await this.#process.turn();
      const bits = whim && this.#process.world.whim(path) % 2 === 1 ? otherBits(takes, targets.length) : takes;
      return targets.filter((_, n) => (bits >> n) % 2 === 1);
    };
  }

  #dag(spec: FlowSpec, path: string, depth: number): LooseGraph {
    const graph = new Graph<Value, Value>() as unknown as LooseGraph;
    const { nodes } = wiringOf(spec);
    const key = (index: number): string => (index < 0 ? START : keyOf(index, depth));
    const isCaught = (index: number): boolean => spec.nodes[index]?.caught === true;
    const addEdges = (source: number, target: string): void => {
      graph.addEdge(key(source), target);
      if (isCaught(source)) graph.addEdge(rescuerOf(key(source)), target);
    };
    for (const [index, node] of spec.nodes.entries()) this.#addNode(graph, node, path, key(index));
    for (const [index, { reads, fork }] of nodes.entries()) {
      for (const { source } of reads) addEdges(source, key(index));
      if (fork !== undefined)
        this.#addBranch(graph, key(fork.source), fork.targets.map(key), fork, pathOf(path, key(fork.source)));
    }
    addEdges(-1, END);
    for (const [index, { unread }] of spec.nodes.entries()) {
      if (!unread) graph.addEdge(key(index), END);
      if (isCaught(index)) graph.addEdge(rescuerOf(key(index)), END);
    }
    return graph;
  }

  #workflow(spec: FlowSpec, path: string, depth: number): LooseGraph {
    const flow = new Workflow<Value, Value>().untyped() as unknown as LooseGraph;
    const { nodes } = wiringOf(spec);
    const key = (index: number): string => (index < 0 ? START : keyOf(index, depth));
    for (const [index, node] of spec.nodes.entries()) {
      const { reads, after, fork } = nodes[index] as (typeof nodes)[number];
      if (fork !== undefined)
        this.#addBranch(flow, key(fork.source), fork.targets.map(key), fork, pathOf(path, key(fork.source)));
      const own = pathOf(path, key(index));
      const input = this.#mapping(spec, reads, depth, key);
      flow.addNode(key(index), bodyOf(node, own, this.#scene), {
        ...this.#options(node, own),
        input,
        runAfter: after.map(key),
      });
      if (!node.caught) continue;
      const rescuer = rescuerOf(key(index));
      flow.addErrorBranch(key(index), [rescuer], () => rescuer);
      flow.addNode(rescuer, this.#rescuer(pathOf(path, rescuer)), {
        input: { node: failureOf(key(index), "node"), input: failureOf(key(index), "input") },
      });
    }
    const ends = spec.nodes.flatMap(({ unread, caught }, index) => [
      ...(unread ? [] : [[key(index), from(key(index))] as const]),
      ...(caught ? [[rescuerOf(key(index)), from(rescuerOf(key(index)))] as const] : []),
    ]);
    const runAfter = spec.nodes.flatMap(({ unread }, index) => (unread ? [key(index)] : []));
    return flow.end({ ...Object.fromEntries(ends), in: from(START) }, { runAfter });
  }

  #mapping(spec: FlowSpec, reads: readonly Wire[], depth: number, key: (index: number) => string): object {
    const fields: Record<string, unknown> = {};
    const firsts: unknown[] = [];
    for (const { source, how } of reads) {
      const field = `${letterOf(depth)}f${source + 1}`;
      if (how === "first") firsts.push(from(key(source)));
      else if (how === "dataOnly") fields[field] = from(key(source), { dataOnly: true });
      else if (how === "default") fields[field] = from(key(source), { default: "none" });
      else fields[field] = from(key(source));
      if (source >= 0 && spec.nodes[source]?.caught && how !== "dataOnly" && how !== "default") {
        const rescuer = from(rescuerOf(key(source)));
        if (how === "first") firsts.push(rescuer);
        else fields[`${field}r`] = rescuer;
      }
    }
    if (firsts.length > 0) fields[`${letterOf(depth)}first`] = firstOf(...(firsts as [never]));
    return fields;
  }

  #rescuer(path: string): unknown {
    return async ({ node, input }: NodeFailure<Value>, ctx: NodeContext) => {
      const visit = visitOf(path, { node, input });
      this.#process.world.note("begin", visit, this.#process);
      await this.#process.turn();
      ctx.signal.throwIfAborted();
      this.#process.world.note("effect", visit, this.#process);
      return outputOf(path, visit, []);
    };
  }

  #options(spec: NodeSpec, path: string): object {
    const { retry, buffer, limited, fallback, cache, kind } = spec;
    const concat = kind === "stream" ? { concat: "text" } : {};
    const policy =
      retry === undefined ? {} : { retry: { attempts: retry, delayMs: 10, jitter: false, buffer: buffer === true } };
    return {
      ...concat,
      ...policy,
      ...(limited ? { timeoutMs: 10_000 * 50 ** heightOf(spec) } : {}),
      ...(cache === undefined ? {} : { cache: { store: this.#scene.cache, coalesce: cache === "coalesce" } }),
      ...(fallback
        ? { fallback: (failure: NodeFailure<Value>, ctx: NodeContext) => this.#fallback(kind, path, failure, ctx) }
        : {}),
    };
  }

  async #fallback(
    kind: NodeSpec["kind"],
    path: string,
    { input }: NodeFailure<Value>,
    ctx: NodeContext,
  ): Promise<Value> {
    const name = fallbackOf(path, input);
    await this.#process.turn();
    ctx.signal.throwIfAborted();
    this.#process.world.note("effect", name, this.#process);
    return fallbackValue(kind, path, name);
  }
}

const pathOf = (path: string, key: string): string => (path === "" ? key : `${path}/${key}`);

/** What is around has time for what is inside. */
const heightOf = ({ flow, kind }: NodeSpec): number =>
  flow === undefined ? (kind === "each" ? 1 : 0) : 1 + Math.max(...flow.nodes.map(heightOf));

/** Decides when the first chunk is there. */
const firstOnly = (choose: () => Promise<readonly string[]>) => async (chunks: AsyncIterable<Value>) => {
  for await (const _ of chunks) break;
  return choose();
};
