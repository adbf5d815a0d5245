import { answer, choice, handled, merged, renamed, type Sight, type Timing, type Value } from "./node-meaning.js";
import type { BranchSpec, GraphSpec, NodeSpec } from "./random-graph.js";

/** What a run of a generated graph may do. */
export interface Prediction {
  /** Its result; without one it must fail. */
  readonly result: Value | undefined;
  /** The codes it may fail with: with a result, those of nodes that END does not wait for. */
  readonly codes: ReadonlySet<string>;
  /** The same errors with their places: `NODE_FAILED at n1/n1_2`. */
  readonly errors: ReadonlySet<string>;
  /** How often each node runs. */
  readonly atLeast: ReadonlyMap<string, number>;
  readonly atMost: ReadonlyMap<string, number>;
}

export interface Circumstances extends Sight {
  /** In a run on streams what goes wrong in a stream is noticed by whoever reads it. */
  readonly streams: boolean;
}

/** Says what a run must do by the rules of graphs alone. It knows nothing of promises, schedules and streams. */
export function predict(spec: GraphSpec, input: Value, circumstances: Circumstances): Prediction {
  const model = new Model(circumstances);
  const result = model.attempt(spec, input);
  const errors = new Set([...model.maybe, ...(result instanceof Broken ? result.errors : [])]);
  return {
    result: result instanceof Broken ? undefined : result,
    codes: new Set([...errors].map((error) => error.slice(0, error.indexOf(" ")))),
    errors,
    atLeast: certainly(model),
    atMost: model.atMost,
  };
}

/** A node that END does not wait for may end the run at any time. */
function certainly({ maybe, atLeast }: Model): ReadonlyMap<string, number> {
  return maybe.size === 0 ? atLeast : new Map();
}

/** A failure: thrown, or in a stream that nobody has read yet. */
class Broken {
  /** Codes with places. */
  readonly errors: ReadonlySet<string>;

  constructor(errors: Iterable<string>) {
    this.errors = new Set(errors);
  }
}

const errorAt = (code: string, path: readonly string[]): string => `${code} at ${path.join("/")}`;

type Flowing = Value | Broken;
type Path = readonly string[];

/** What was delivered to a node, in order of declaration of the sources. */
type Inbox = { readonly source: string; readonly value: Flowing }[];

class Model {
  atLeast = new Map<string, number>();
  readonly atMost = new Map<string, number>();
  readonly maybe = new Set<string>();
  readonly #circumstances: Circumstances;

  constructor(circumstances: Circumstances) {
    this.#circumstances = circumstances;
  }

  attempt(spec: GraphSpec, input: Value): Flowing {
    try {
      return this.run(spec, input, []);
    } catch (error) {
      if (error instanceof Broken) return error;
      throw error;
    }
  }

  run(spec: GraphSpec, input: Flowing, path: Path): Flowing {
    return spec.trigger === "allPredecessor" ? this.#runDag(spec, input, path) : this.#runSteps(spec, input, path);
  }

  /** All that was fed by the last step makes the next one; END ends it all. */
  #runSteps(spec: GraphSpec, input: Flowing, path: Path): Flowing {
    const limit = spec.maxSteps ?? spec.nodes.length + 10;
    let outputs: [source: string, output: Flowing][] = [["start", input]];
    for (let step = 0; ; step++) {
      const inboxes = this.#deliver(spec, outputs, path);
      const end = inboxes.get("end");
      if (end !== undefined) return this.#join(undefined, end, path);
      if (inboxes.size === 0) throw new Broken([errorAt("NO_NEXT_NODE", path)]);
      const before = new Map(this.atLeast);
      const errors = new Set(step === limit ? [errorAt("MAX_STEPS_EXCEEDED", path)] : []);
      outputs = [];
      for (const node of spec.nodes) {
        const inbox = inboxes.get(node.key);
        if (inbox === undefined) continue;
        this.#collecting(errors, () => {
          const joined = this.#join(node, inbox, path);
          if (step < limit) outputs.push([node.key, this.#work(node, joined, path)]);
        });
      }
      if (errors.size > 0) {
        this.atLeast = before;
        throw new Broken(errors);
      }
    }
  }

  #deliver(spec: GraphSpec, outputs: readonly [string, Flowing][], path: Path): Map<string, Inbox> {
    const inboxes = new Map<string, Inbox>();
    const errors = new Set<string>();
    for (const [source, value] of outputs) {
      this.#collecting(errors, () => {
        for (const target of this.#targets(spec, source, value, path)) {
          inboxes.set(target, [...(inboxes.get(target) ?? []), { source, value }]);
        }
      });
    }
    if (errors.size > 0) throw new Broken(errors);
    return inboxes;
  }

  /** A node runs once all its sources have delivered or were skipped. Sources stand before their targets in the list. */
  #runDag(spec: GraphSpec, input: Flowing, path: Path): Flowing {
    const before = new Map(this.atLeast);
    const awaited = awaitedByEnd(spec);
    const errors = new Set<string>();
    const stuck = new Set<string>();
    const inboxes = new Map<string, Inbox>();
    const route = (source: string, value: Flowing): void => {
      const targets = this.#targets(spec, source, value, path);
      for (const target of targets) inboxes.set(target, [...(inboxes.get(target) ?? []), { source, value }]);
      // a stream that no node reads is read to its end, and may fail before END stops it
      if (targets.size === 0 && value instanceof Broken) for (const error of value.errors) this.maybe.add(error);
    };
    const attempt = (key: string, work: () => void): void => {
      const certain = this.atLeast;
      if (!awaited.has(key)) this.atLeast = new Map();
      const own = new Set<string>();
      this.#collecting(own, work);
      if (own.size > 0) stuck.add(key);
      for (const error of own) (awaited.has(key) ? errors : this.maybe).add(error);
      if (!awaited.has(key)) this.atLeast = certain;
    };
    attempt("start", () => route("start", input));
    for (const node of spec.nodes) {
      if (sourcesOf(spec, node.key).some((source) => stuck.has(source))) stuck.add(node.key);
      const inbox = inboxes.get(node.key);
      if (stuck.has(node.key) || inbox === undefined) continue;
      attempt(node.key, () => route(node.key, this.#work(node, this.#join(node, inbox, path), path)));
    }
    const end = inboxes.get("end");
    if (errors.size === 0 && end !== undefined) return this.#join(undefined, end, path);
    this.atLeast = before;
    throw new Broken(errors.size === 0 ? [errorAt("NO_NEXT_NODE", path)] : errors);
  }

  #targets(spec: GraphSpec, source: string, value: Flowing, path: Path): ReadonlySet<string> {
    const targets = new Set(spec.edges.filter(({ from }) => from === source).map(({ to }) => to));
    const errors = new Set<string>();
    for (const branch of spec.branches.filter(({ from }) => from === source)) {
      this.#collecting(errors, () => {
        for (const target of this.#choose(branch, value, source === "start" ? path : [...path, source]))
          targets.add(target);
      });
    }
    if (errors.size > 0) throw new Broken(errors);
    return targets;
  }

  #choose(branch: BranchSpec, value: Flowing, place: Path): readonly string[] {
    if (value instanceof Broken) {
      if (branch.reads === "value" || branch.reads === "whole stream") throw value;
      if (branch.reads === "first chunk") for (const error of value.errors) this.maybe.add(error);
    }
    if (branch.goes === "wrong") throw new Broken([errorAt("NODE_FAILED", place)]);
    if (branch.goes === "astray") throw new Broken([errorAt("UNKNOWN_BRANCH_TARGET", place)]);
    return choice(branch, value instanceof Broken ? {} : value, this.#circumstances);
  }

  #join(node: NodeSpec | undefined, inbox: Inbox, path: Path): Flowing {
    const [first] = inbox;
    if (first !== undefined && inbox.length === 1) return first.value;
    const broken = inbox.map(({ value }) => value).filter((value) => value instanceof Broken);
    const values = inbox.map(({ value }) => value).filter((value): value is Value => !(value instanceof Broken));
    if (broken.length === 0 && node?.merges) {
      const sources = inbox.map(({ source }) => source);
      return merged(node.key, values, sources, this.#circumstances);
    }
    const keys = values.flatMap((value) => Object.keys(value));
    if (broken.length === 0 && new Set(keys).size === keys.length) return Object.assign({}, ...values);
    const failure = new Broken([
      ...broken.flatMap(({ errors }) => [...errors]),
      ...(node?.merges ? [] : [errorAt("CANNOT_MERGE", node === undefined ? path : [...path, node.key])]),
    ]);
    if (!this.#circumstances.streams || node?.merges) throw failure;
    return failure;
  }

  /** Handlers, the input key, and the node itself. */
  #work(node: NodeSpec, input: Flowing, path: Path): Flowing {
    for (const counts of [this.atLeast, this.atMost]) counts.set(node.key, (counts.get(node.key) ?? 0) + 1);
    const place = [...path, node.key];
    const picked = this.#pick(node, this.#handle("before", node.before, input), place);
    return this.#handle("after", node.after, this.#give(node, picked, place));
  }

  /** A handler on values waits for the whole. */
  #handle(timing: Timing, kind: NodeSpec["before"], flowing: Flowing): Flowing {
    if (kind === "none") return flowing;
    if (!(flowing instanceof Broken)) return handled(timing, flowing);
    if (kind === "value") throw flowing;
    return flowing;
  }

  #pick({ inputKey }: NodeSpec, input: Flowing, place: Path): Flowing {
    if (inputKey === undefined || input instanceof Broken) return input;
    const text = input[inputKey];
    if (text !== undefined) return { [inputKey]: text };
    throw new Broken([errorAt("MISSING_INPUT_KEY", place)]);
  }

  #give(node: NodeSpec, input: Flowing, place: Path): Flowing {
    if (node.inner !== undefined) return this.run(node.inner, input, place);
    if (node.kind === "passthrough") return input;
    const { streams } = this.#circumstances;
    const failure = fails(node) ? new Broken([errorAt("NODE_FAILED", place)]) : undefined;
    if (node.kind === "map" || node.kind === "transform") {
      const atCall = node.kind === "transform" && node.failure === "at the call";
      if (failure !== undefined && (atCall || !streams)) throw failure;
      if (!(input instanceof Broken)) return failure ?? renamed(node.key, input);
      return failure === undefined ? input : new Broken([...input.errors, ...failure.errors]);
    }
    if (input instanceof Broken) throw input;
    if (failure !== undefined && !(streams && node.failure === "in mid-stream")) throw failure;
    return failure ?? { [node.key]: answer(node.key, input, this.#circumstances) };
  }

  #collecting(errors: Set<string>, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      for (const one of error.errors) errors.add(one);
    }
  }
}

/** What does not stream does not fail in mid-stream. */
function fails({ kind, failure }: NodeSpec): boolean {
  const streams = kind === "generator" || kind === "async stream" || kind === "stream";
  return (
    failure === "at the call" || (failure === "in mid-stream" && (streams || kind === "map" || kind === "transform"))
  );
}

function sourcesOf({ edges, branches }: GraphSpec, key: string): string[] {
  return [
    ...edges.filter(({ to }) => to === key).map(({ from }) => from),
    ...branches.filter(({ targets }) => targets.includes(key)).map(({ from }) => from),
  ];
}

/** All that END waits for: it has to be told by every source whether it delivers. */
export function awaitedByEnd(spec: GraphSpec): ReadonlySet<string> {
  const found = new Set<string>(["end"]);
  for (const key of found) for (const source of sourcesOf(spec, key)) found.add(source);
  return found;
}
