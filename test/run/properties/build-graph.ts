import {
  type CompiledGraph,
  Graph,
  lambda,
  mapChunks,
  type NodeContext,
  passthrough,
  Runtime,
  StreamReader,
} from "kumiko";
import { answer, choice, cut, handled, merged, renamed, type Sight, type Timing, type Value } from "./node-meaning.js";
import type { BranchSpec, GraphSpec, NodeSpec } from "./random-graph.js";

type Context = Pick<NodeContext, "signal" | "ask">;
type Chunk = Value | string;

/** Where generated nodes run: what they wait for, and what was seen of them. */
export interface Lab extends Sight {
  /** How often the function of a node was called. */
  readonly calls: Map<string, number>;
  /** Called with every call of the function of a node; not with the chunks of a `map`. */
  readonly onCall: () => void;
  /** Generators that have started and not ended, and web streams that were not cancelled either. */
  open: number;
  /** What a node waits for before it gives something, `count` microtasks by default. */
  readonly pause: (count: number) => Promise<unknown>;
  /** Whether nodes that ask do so, or go on as if they had been answered. */
  readonly asks: boolean;
  /** The states that a handler has right now, and how often another one got one of them too. */
  readonly held: Set<object>;
  overlaps: number;
  /** The sources that each `merge` was given, in order. */
  readonly merges: { readonly node: string; readonly sources: readonly string[] }[];
}

export function newLab(given: Partial<Lab> = {}): Lab {
  return {
    seesOrder: false,
    calls: new Map(),
    onCall: () => undefined,
    open: 0,
    pause: microtasks,
    asks: false,
    held: new Set(),
    overlaps: 0,
    merges: [],
    ...given,
  };
}

export async function microtasks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await undefined;
}

/** What a handler throws is part of some tests. */
const runtime = new Runtime({ onHandlerError: () => undefined });

/** The builder, without its types. */
interface UntypedGraph {
  withState(create: () => object): void;
  addNode(key: string, node: unknown, options?: object): void;
  addEdge(from: string, to: string): void;
  addBranch(from: string, targets: readonly string[], choose: unknown): void;
  addStreamBranch(from: string, targets: readonly string[], choose: unknown): void;
  compile(options: object): CompiledGraph<Value, Value>;
}

export function buildGraph(spec: GraphSpec, lab: Lab, options: object = {}): CompiledGraph<Value, Value> {
  const graph = new Graph() as unknown as UntypedGraph;
  if (spec.nodes.some(({ before, after }) => before !== "none" || after !== "none")) graph.withState(() => ({}));
  for (const node of spec.nodes) graph.addNode(node.key, makeNode(node, lab), optionsOf(node, lab));
  for (const { from, to } of spec.edges) graph.addEdge(from, to);
  for (const branch of spec.branches) {
    if (branch.reads === "value") graph.addBranch(branch.from, branch.targets, choosing(branch, lab));
    else graph.addStreamBranch(branch.from, branch.targets, choosing(branch, lab));
  }
  return graph.compile({ triggerMode: spec.trigger, maxSteps: spec.maxSteps, runtime, ...options });
}

function optionsOf(node: NodeSpec, lab: Lab): object {
  const { key, kind, merges, ticks, outputKey, inputKey } = node;
  const merge = (values: readonly Value[], sources: readonly string[]): unknown => {
    lab.merges.push({ node: key, sources });
    return soonOrLater(ticks, lab, () => merged(key, values, sources, lab));
  };
  const common = { ...(merges && { merge }), ...(inputKey !== undefined && { inputKey }), ...handlersOf(node, lab) };
  if (kind === "graph" || kind === "passthrough") return common;
  const writesKey = !outputKey || kind === "map" || kind === "transform";
  return writesKey ? { ...common, concat: "record" } : { ...common, outputKey: key };
}

/** They change the letters of what goes through them, and note whether they are alone with the state. */
function handlersOf({ before, after, ticks }: NodeSpec, lab: Lab): object {
  const alone = async (state: object, work: () => unknown): Promise<unknown> => {
    if (lab.held.has(state)) lab.overlaps++;
    lab.held.add(state);
    await lab.pause(ticks);
    lab.held.delete(state);
    return work();
  };
  const onValue = (timing: Timing) => (value: Value, state: object) => alone(state, () => handled(timing, value));
  const onStream = (timing: Timing) => (stream: StreamReader<Value>, state: object) =>
    alone(state, () => stream.map((chunk) => handled(timing, chunk)));
  return {
    ...(before === "value" && { before: onValue("before") }),
    ...(before === "stream" && { streamBefore: onStream("before") }),
    ...(after === "value" && { after: onValue("after") }),
    ...(after === "stream" && { streamAfter: onStream("after") }),
  };
}

function makeNode(node: NodeSpec, lab: Lab): unknown {
  const { key, ticks, inputKey } = node;
  const called = (): void => {
    lab.calls.set(key, (lab.calls.get(key) ?? 0) + 1);
    if (node.kind !== "map") lab.onCall();
  };
  const failAtCall = (): void => {
    if (node.failure === "at the call") throw new Error(`${key} failed`);
  };
  const begin = (): void => {
    called();
    failAtCall();
  };
  const wait = async ({ signal }: Context): Promise<void> => {
    if (ticks > 0) await lab.pause(ticks);
    if (node.listens) signal.throwIfAborted();
  };
  const ask = async (ctx: Context): Promise<void> => {
    if (!node.asks || !lab.asks) return;
    const given = await ctx.ask("q", key);
    if (given !== key) throw new Error(`${key} was answered with ${String(given)}`);
  };
  const shape = (text: string): Chunk => (node.outputKey ? text : { [key]: text });
  /** A node with an input key gets the text that stands there. */
  const given = (input: Chunk): Value => (typeof input === "string" ? { [inputKey ?? ""]: input } : input);
  const whole = (input: Chunk): Chunk => shape(answer(key, given(input), lab));
  const write = async function* (input: Value, ctx: Context): AsyncGenerator<Chunk> {
    lab.open++;
    try {
      for (const [n, piece] of cut(answer(key, given(input), lab), node.pieces).entries()) {
        await wait(ctx);
        if (n === 1 || node.pieces === 1) failInMidStream(node);
        yield shape(piece);
      }
    } finally {
      lab.open--;
    }
  };
  switch (node.kind) {
    case "sync":
      return (input: Value) => {
        begin();
        return whole(input);
      };
    case "async":
      return async (input: Value, ctx: Context) => {
        called();
        await wait(ctx);
        await ask(ctx);
        failAtCall();
        return whole(input);
      };
    case "invoke":
      return lambda({
        invoke: (input: Value) => {
          begin();
          return soonOrLater(ticks, lab, () => whole(input)) as Chunk;
        },
      });
    case "generator":
      return (input: Value, ctx: Context) => {
        begin();
        return write(input, ctx);
      };
    case "async stream":
      return async (input: Value, ctx: Context) => {
        called();
        await wait(ctx);
        await ask(ctx);
        failAtCall();
        return asWebStream(write(input, ctx), lab);
      };
    case "stream":
      return lambda({
        stream: (input: Value, ctx) => {
          begin();
          return soonOrLater(ticks, lab, () => asWebStream(write(input, ctx), lab)) as ReadableStream<Chunk>;
        },
      });
    case "collect":
      return lambda({
        collect: async (reader: StreamReader<Value>, ctx) => {
          called();
          const input = await reader.concat();
          await wait(ctx);
          await ask(ctx);
          failAtCall();
          return whole(input);
        },
      });
    case "map":
      return mapChunks((chunk: Value) => {
        begin();
        failInMidStream(node);
        return soonOrLater(ticks, lab, () => renamed(key, chunk)) as Value;
      });
    case "transform":
      return lambda({
        transform: (reader: StreamReader<Value>, ctx) => {
          begin();
          return renameAll(reader, node, wait, ctx, lab);
        },
      });
    case "passthrough":
      return passthrough();
    case "graph":
      return buildGraph(node.inner as GraphSpec, lab);
    default:
      return node.kind satisfies never;
  }
}

/** Unlike a generator it is open before anyone reads it. */
function asWebStream(chunks: AsyncGenerator<Chunk>, lab: Lab): ReadableStream<Chunk> {
  let open = true;
  lab.open++;
  const end = (last: () => void): void => {
    if (!open) return;
    open = false;
    lab.open--;
    last();
  };
  return new ReadableStream<Chunk>(
    {
      async pull(controller) {
        try {
          const next = await chunks.next();
          if (next.done) end(() => controller.close());
          else if (open) controller.enqueue(next.value);
        } catch (error) {
          end(() => controller.error(error));
        }
      },
      cancel: () => end(() => void chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

async function* renameAll(
  reader: StreamReader<Value>,
  node: NodeSpec,
  wait: (ctx: Context) => Promise<void>,
  ctx: Context,
  lab: Lab,
): AsyncGenerator<Value> {
  lab.open++;
  try {
    for await (const chunk of reader) {
      await wait(ctx);
      yield renamed(node.key, chunk);
      failInMidStream(node);
    }
  } finally {
    lab.open--;
  }
}

function failInMidStream({ key, failure }: NodeSpec): void {
  if (failure === "in mid-stream") throw new Error(`${key} failed in mid-stream`);
}

function soonOrLater(ticks: number, lab: Lab, work: () => unknown): unknown {
  return ticks === 0 ? work() : lab.pause(ticks).then(work);
}

function choosing(branch: BranchSpec, lab: Lab): (given: never) => unknown {
  const decide = (value: Value): unknown => {
    if (branch.goes === "wrong") throw new Error(`the branch behind ${branch.from} failed`);
    if (branch.goes === "astray") return "nowhere";
    const chosen = choice(branch, value, lab);
    return branch.several ? chosen : chosen[0];
  };
  const answerWith = (value: Value): unknown => (branch.later ? lab.pause(1).then(() => decide(value)) : decide(value));
  switch (branch.reads) {
    case "value":
      return (value: Value) => answerWith(value);
    case "whole stream":
      return async (reader: StreamReader<Value>) => answerWith(await reader.concat());
    case "first chunk":
      return async (reader: StreamReader<Value>) => {
        await reader.next();
        return answerWith({});
      };
    case "nothing":
      return () => answerWith({});
    default:
      return branch.reads satisfies never;
  }
}

/** A value as a stream that a caller gives: a record in pieces. */
export function inPieces(value: Value): StreamReader<Value> {
  const chunks = Object.entries(value).flatMap(([key, text]) => cut(text, 3).map((piece) => ({ [key]: piece })));
  return StreamReader.from(chunks).withRule("record");
}
