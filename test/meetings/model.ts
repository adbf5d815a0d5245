import { allOf, fallbackValue, itemSpec, itemsOf, turnOf } from "./meaning.js";
import { type Case, type FlowSpec, forever, type NodeSpec, type Value } from "./spec.js";
import { keyOf, letterOf, otherBits, rescuerOf, type Wire, wiringOf } from "./wiring.js";
import { answerTo, fallbackOf, onceOf, outputOf, questionOf, visitOf, written } from "./words.js";

/** What the contract says of a run. */
export interface Expected {
  /** Nothing where a node fails whatever is done. */
  readonly value: Value;
  readonly fails: boolean;
  /** How often each effect happens, at least and at most. */
  readonly effects: ReadonlyMap<string, readonly [least: number, most: number]>;
  /** What is asked, and whether it surely is. */
  readonly questions: ReadonlyMap<string, boolean>;
  /** All effects below the first path come before anything begins below the second. */
  readonly orders: readonly (readonly [string, string])[];
  /** Places that may fail a run, and whether they always do. */
  readonly failing: ReadonlyMap<string, boolean>;
}

/** Every node that may fail or not end, whatever is around it. */
const lost = Symbol("a node has failed, and nothing makes a value of it");
type Given = Value | typeof lost;

/** One for each way in which branches that change their mind may decide. Runs beside each other may find in the cache what the other one did. */
export function expectedOf(one: Case, runs: number, isAnswered: boolean): readonly Expected[] {
  const all = expectedWith(one, runs, isAnswered, true);
  if (one.way.twice !== "beside") return all;
  return expectedWith(one, runs, isAnswered, false).map((each, n) => ({
    ...each,
    effects: new Map(
      [...each.effects].map(([name, [, most]]) => [name, [all[n]?.effects.get(name)?.[0] ?? 0, most] as const]),
    ),
  }));
}

function expectedWith({ flow }: Case, runs: number, isAnswered: boolean, caches: boolean): readonly Expected[] {
  const all: Expected[] = [];
  for (let whims = 0; whims < 16; whims++) {
    const model = new Model(whims, isAnswered, caches);
    let value: Given;
    for (let run = 0; run < runs; run++) value = model.flow(flow, "", 0, input);
    if (whims >= 2 ** model.whims.length) break;
    all.push({ ...model.seen, value: value === lost ? undefined : (value as Value), fails: value === lost });
  }
  return all;
}

export const input: Value = { in: "once upon a time" };

interface Seen {
  effects: Map<string, readonly [number, number]>;
  questions: Map<string, boolean>;
  orders: (readonly [string, string])[];
  failing: Map<string, boolean>;
}

const nothing = (): Seen => ({ effects: new Map(), questions: new Map(), orders: [], failing: new Map() });

/** Runs a program with plain loops, as the contract says. */
class Model {
  seen: Seen = nothing();
  readonly whims: string[] = [];
  readonly #bits: number;
  readonly #isAnswered: boolean;
  readonly #caches: boolean;
  readonly #cached = new Map<string, Value>();

  constructor(bits: number, isAnswered: boolean, caches: boolean) {
    this.#bits = bits;
    this.#caches = caches;
    this.#isAnswered = isAnswered;
  }

  flow(spec: FlowSpec, path: string, depth: number, given: Value): Given {
    if (spec.builder === "workflow") return this.#workflow(spec, path, depth, given);
    return spec.builder === "dag" ? this.#dag(spec, path, depth, given) : this.#levels(spec, path, depth, given);
  }

  #levels(spec: FlowSpec, path: string, depth: number, given: Value): Given {
    const { levels } = wiringOf(spec);
    let value = given;
    let chosen: readonly number[] | undefined;
    let isLost = false;
    for (const [n, level] of levels.entries()) {
      const outs: Record<string, Value> = {};
      for (const index of chosen ?? level) {
        const node = spec.nodes[index] as NodeSpec;
        const key = keyOf(index, depth);
        let turn = value;
        do {
          const out = this.#node(node, pathOf(path, key), turn);
          if (out === lost) isLost = true;
          else if (out.isRescued) outs[rescuerOf(key)] = out.value;
          else outs[key] = out.value;
          turn = { [key]: outs[key] };
        } while (!isLost && node.loop !== undefined && turnOf(turn, key) < node.loop);
      }
      if (isLost) return lost;
      value = outs;
      const { branch } = spec.nodes[level[0] ?? 0] as NodeSpec;
      const next = levels[n + 1] ?? [];
      const bits = branch && this.#choice(branch, pathOf(path, keyOf(level[0] ?? 0, depth)), next.length);
      chosen = bits === undefined ? undefined : next.filter((_, target) => (bits >> target) % 2 === 1);
    }
    return value;
  }

  #choice({ takes, whim }: { takes: number; whim?: boolean }, path: string, targets: number): number {
    if (!whim) return takes;
    if (!this.whims.includes(path)) this.whims.push(path);
    return (this.#bits >> this.whims.indexOf(path)) % 2 === 1 ? otherBits(takes, targets) : takes;
  }

  #dag(spec: FlowSpec, path: string, depth: number, given: Value): Given {
    const { nodes } = wiringOf(spec);
    const start = given as Readonly<Record<string, Value>>;
    /** What each node delivers. */
    const outs = new Map<number, Readonly<Record<string, Value>>>([[-1, start]]);
    const rescued = new Set<number>();
    const taken = new Map<number, Readonly<Record<string, Value>>[]>();
    let isLost = false;
    for (const [index, node] of spec.nodes.entries()) {
      const { reads, fork } = nodes[index] as (typeof nodes)[number];
      if (fork !== undefined && outs.has(fork.source) && !rescued.has(fork.source)) {
        const bits = this.#choice(fork, pathOf(path, keyOf(fork.source, depth)), fork.targets.length);
        for (const [n, target] of fork.targets.entries()) {
          if ((bits >> n) % 2 === 1) taken.set(target, [...(taken.get(target) ?? []), outs.get(fork.source) ?? {}]);
        }
      }
      const parts = [...(taken.get(index) ?? []), ...reads.flatMap(({ source }) => outs.get(source) ?? [])];
      if (parts.length === 0) continue;
      const key = keyOf(index, depth);
      const out = this.#node(node, pathOf(path, key), Object.assign({}, ...parts));
      if (out === lost) {
        isLost = true;
        continue;
      }
      if (out.isRescued) rescued.add(index);
      outs.set(index, { [out.isRescued ? rescuerOf(key) : key]: out.value });
    }
    if (isLost) return lost;
    const ends = [...outs].filter(([index]) => index < 0 || rescued.has(index) || !spec.nodes[index]?.unread);
    return Object.assign({}, ...ends.map(([, out]) => out));
  }

  #workflow(spec: FlowSpec, path: string, depth: number, given: Value): Given {
    const { nodes } = wiringOf(spec);
    const outs = new Map<number, Value>([[-1, given]]);
    const rescues = new Map<number, Value>();
    const taken = new Set<number>();
    let isLost = false;
    const ran = (control: Control): boolean => (control.rescues ? rescues : outs).has(control.index);
    for (const [index, node] of spec.nodes.entries()) {
      const { reads, after, fork } = nodes[index] as (typeof nodes)[number];
      const own = pathOf(path, keyOf(index, depth));
      for (const source of after) {
        if (outs.has(source)) this.seen.orders.push([pathOf(path, keyOf(source, depth)), own]);
      }
      if (fork !== undefined && outs.has(fork.source)) {
        const bits = this.#choice(fork, pathOf(path, keyOf(fork.source, depth)), fork.targets.length);
        for (const [n, target] of fork.targets.entries()) if ((bits >> n) % 2 === 1) taken.add(target);
      }
      const isTarget = nodes.some((one) => one.fork?.targets.includes(index));
      const controls = controlsOf(spec, index);
      const runs = isTarget ? taken.has(index) : controls.length === 0 || controls.some(ran);
      if (!runs) continue;
      const out = this.#node(node, own, mapped(reads, depth, outs, rescues, spec));
      if (out === lost) isLost = true;
      else if (out.isRescued) rescues.set(index, out.value);
      else outs.set(index, out.value);
    }
    if (isLost) return lost;
    const result: Record<string, Value> = { in: given };
    for (const [index, { unread }] of spec.nodes.entries()) {
      const key = keyOf(index, depth);
      if (!unread && outs.has(index)) result[key] = outs.get(index);
      if (rescues.has(index)) result[rescuerOf(key)] = rescues.get(index);
    }
    return result;
  }

  /** A visit of a node, with its policies. */
  #node(node: NodeSpec, path: string, given: Value): { value: Value; isRescued?: true } | typeof lost {
    const cacheKey = this.#caches && node.cache ? `${path} ${written(given)}` : undefined;
    if (cacheKey !== undefined && this.#cached.has(cacheKey)) return { value: this.#cached.get(cacheKey) };
    const outer = this.seen;
    this.seen = nothing();
    const out = this.#body(node, path, given);
    const inner = this.seen;
    this.seen = outer;
    const isHandled = out === lost && (node.fallback || node.caught);
    this.#take(inner, isHandled === true);
    if (out !== lost) {
      if (cacheKey !== undefined && inner.questions.size === 0) this.#cached.set(cacheKey, out);
      return { value: out };
    }
    if (node.fallback) {
      const name = fallbackOf(path, given);
      this.#effect(name);
      return { value: fallbackValue(node.kind, path, name) };
    }
    if (!node.caught) return lost;
    const rescuer = rescuerOf(path);
    const visit = visitOf(rescuer, { node: path.split("/").at(-1), input: given });
    this.#effect(visit);
    return { value: outputOf(rescuer, visit, []), isRescued: true };
  }

  /** What was seen inside; of what has failed nobody knows how far the rest came. */
  #take(inner: Seen, isOptional: boolean): void {
    const { effects, questions, orders, failing } = this.seen;
    for (const [name, [least, most]] of inner.effects) {
      const [before, beforeMost] = effects.get(name) ?? [0, 0];
      effects.set(name, [before + (isOptional ? 0 : least), beforeMost + most]);
    }
    for (const [name, isSure] of inner.questions) questions.set(name, isSure && !isOptional);
    if (!isOptional) orders.push(...inner.orders);
    for (const [name, isPermanent] of inner.failing) if (!isOptional) failing.set(name, isPermanent);
  }

  #effect(name: string): void {
    const [least, most] = this.seen.effects.get(name) ?? [0, 0];
    this.seen.effects.set(name, [least + 1, most + 1]);
  }

  #body(node: NodeSpec, path: string, given: Value): Given {
    switch (node.kind) {
      case "pass":
        return given;
      case "flow":
        return this.flow(node.flow as FlowSpec, path, path.split("/").length, given);
      case "each":
        return this.#each(node, path, given);
      case "early":
        return this.#leaf(node, path, "early");
      case "value":
      case "sync":
      case "stream":
      case "transform":
      case "collect":
      case "child":
        return this.#leaf(node, path, given);
      default:
        return node.kind satisfies never;
    }
  }

  #each(node: NodeSpec, path: string, given: Value): Given {
    const { items = 2, flow, unordered } = node;
    const results = itemsOf(path, given, items).map((item) => {
      const place = `${path}/item`;
      return flow
        ? this.flow(flow, place, place.split("/").length, item)
        : this.#leaf(itemSpec(node, item), place, item);
    });
    return results.includes(lost) ? lost : allOf(results as Value[], unordered);
  }

  #leaf(node: NodeSpec, path: string, given: Value): Given {
    const { fails, hangs, asks = 0, once, retry = 1 } = node;
    const visit = visitOf(path, given);
    const times = fails?.times ?? hangs?.times ?? 0;
    // what ends after a few failures ends at last, if the run goes on after them
    if (times >= retry) this.seen.failing.set(path, times === forever);
    const isLost = times === forever;
    if (isLost && !fails?.mid) return lost;
    const answers: string[] = [];
    const ask = (n: number): void => {
      const question = questionOf(visit, n);
      if (!this.#isAnswered) this.seen.questions.set(question, true);
      answers.push(answerTo(question));
    };
    if (asks > 0) ask(0);
    if (once) this.#effect(onceOf(visit));
    if (node.kind === "child") {
      const inner = this.flow(node.flow as FlowSpec, path, path.split("/").length, given);
      if (inner === lost) return lost;
      answers.push(written(inner));
    }
    if (isLost) return lost;
    for (let n = 1; n < asks; n++) ask(n);
    this.#effect(visit);
    const output = outputOf(path, visit, answers);
    return node.loop === undefined ? output : `${output}~${turnOf(given, path.split("/").at(-1) ?? "") + 1}`;
  }
}

const pathOf = (path: string, key: string): string => (path === "" ? key : `${path}/${key}`);

/** A node, or the node that its error branch leads to. */
interface Control {
  readonly index: number;
  readonly rescues: boolean;
}

/** The nodes of which one must have run, of a node that no branch decides about. */
function controlsOf(spec: FlowSpec, index: number): Control[] {
  const { nodes } = wiringOf(spec);
  const { reads, after } = nodes[index] as (typeof nodes)[number];
  const read = reads.filter(({ how }) => how !== "dataOnly");
  const all: Control[] = [
    ...after.map((one) => ({ index: one, rescues: false })),
    ...read.map(({ source }) => ({ index: source, rescues: false })),
    ...read
      .filter(({ source, how }) => spec.nodes[source]?.caught && how !== "default")
      .map(({ source }) => ({ index: source, rescues: true })),
  ];
  const named = all.filter(
    (one, n) =>
      one.index >= 0 && all.findIndex((other) => other.index === one.index && other.rescues === one.rescues) === n,
  );
  return named.filter((one) => !named.some((other) => other !== one && implies(spec, other, one)));
}

/** Whether one cannot run without the other. */
function implies(spec: FlowSpec, one: Control, other: Control): boolean {
  const { nodes } = wiringOf(spec);
  const same = (control: Control): boolean => control.index === other.index && control.rescues === other.rescues;
  const sources: Control[] = [
    ...new Set(nodes.flatMap(({ fork }) => (fork?.targets.includes(one.index) ? [fork.source] : []))),
  ].map((source) => ({ index: source, rescues: false }));
  // who is rescued was started, though it has not ended well
  const deciding = sources.length > 0 ? sources : controlsOf(spec, one.index);
  if (deciding.length === 0) return false;
  return deciding.every((control) => same(control) || (control.index >= 0 && implies(spec, control, other)));
}

function mapped(
  reads: readonly Wire[],
  depth: number,
  outs: ReadonlyMap<number, Value>,
  rescues: ReadonlyMap<number, Value>,
  spec: FlowSpec,
): Value {
  const fields: Record<string, Value> = {};
  let first: Value;
  for (const { source, how } of reads) {
    const field = `${letterOf(depth)}f${source + 1}`;
    const out = outs.get(source);
    const rescue = spec.nodes[source]?.caught ? rescues.get(source) : undefined;
    if (how === "first") first ??= out ?? rescue;
    else if (out !== undefined) fields[field] = out;
    else if (how === "default") fields[field] = "none";
    if (rescue !== undefined && how === undefined) fields[`${field}r`] = rescue;
  }
  if (first !== undefined) fields[`${letterOf(depth)}first`] = first;
  return fields;
}
