import fc from "fast-check";
import { constant, failureOf, firstOf, from, type Mapping, type NodeContext, Workflow } from "kumiko";

/** What is read of an output, and how. */
interface ReadSpec {
  readonly from: number;
  /** The failure of a node that has an error branch, of others the whole. */
  readonly path: "" | "text" | "deep.text" | "items.*.n" | "items.0.n" | "absent" | "deep.absent" | "failure";
  readonly option: "none" | "dataOnly" | "default";
}

interface NodeSpec {
  /** What is answered at once gives what a node that asks gives in the end. */
  readonly kind: "value" | "stream" | "asks" | "answered";
  /** Nothing: the whole of the first read. */
  readonly fields: readonly ReadSpec[];
  readonly shape: "whole" | "flat" | "nested" | "first" | "none";
  readonly runAfter: readonly number[];
  /** Stands before the node: who chooses among this node and the next ones, and how many it takes. */
  readonly branch: BranchSpec | undefined;
  /** It has an error branch among the next nodes, and perhaps fails. */
  readonly caught: { readonly fails: boolean; readonly targets: number; readonly takes: number } | undefined;
}

interface BranchSpec {
  readonly kind: "branch" | "stream" | "switch";
  readonly from: number;
  readonly targets: number;
  readonly takes: number;
}

export type WorkflowSpec = readonly NodeSpec[];

const read: fc.Arbitrary<ReadSpec> = fc.record({
  from: fc.nat(1_000),
  path: fc.constantFrom(
    "",
    "text",
    "deep.text",
    "items.*.n",
    "items.0.n",
    "absent",
    "deep.absent",
    "failure",
    "failure",
  ),
  option: fc.constantFrom("none", "none", "dataOnly", "default"),
});

const branchKind = fc.constantFrom("branch" as const, "stream" as const, "switch" as const);

const choice = { targets: fc.integer({ min: 1, max: 3 }), takes: fc.nat(3) };

const node = (kinds: readonly NodeSpec["kind"][]): fc.Arbitrary<NodeSpec> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    fields: fc.array(read, { minLength: 1, maxLength: 3 }),
    shape: fc.constantFrom("whole", "flat", "flat", "nested", "first", "none"),
    runAfter: fc.array(fc.nat(1_000), { maxLength: 2 }),
    branch: fc.option(fc.record({ kind: branchKind, from: fc.nat(1_000), ...choice }), { nil: undefined, freq: 2 }),
    caught: fc.option(fc.record({ fails: fc.boolean(), ...choice }), { nil: undefined, freq: 3 }),
  });

export const workflowSpec = (...kinds: readonly NodeSpec["kind"][]): fc.Arbitrary<WorkflowSpec> =>
  fc.array(node(kinds), { minLength: 1, maxLength: 9 });

/** What every node gives: its name, and what it was given, as text. */
export interface Given {
  readonly text: string;
  readonly deep: { readonly text: string };
  readonly items: readonly { readonly n: number }[];
  /** For switches. */
  readonly size: "small" | "large";
}

export const input: Given = outputOf("in", undefined);

function outputOf(key: string, given: unknown): Given {
  const text = `${key}(${given === undefined ? "-" : hash(JSON.stringify(given))})`;
  return { text, deep: { text: `deep ${text}` }, items: [{ n: key.length }, { n: text.length }], size: sizeOf(text) };
}

function sizeOf(text: string): Given["size"] {
  return text.charCodeAt(text.length - 2) % 2 === 0 ? "small" : "large";
}

/** Short, and the same for the same text whatever the order of its fields: they are given in order. */
function hash(text: string): string {
  let sum = 7;
  for (let n = 0; n < text.length; n++) sum = (sum * 31 + text.charCodeAt(n)) % 1_000_003;
  return String(sum);
}

const keyOf = (index: number): string => `n${index}`;
const sourceKey = (index: number, before: number): string =>
  index % (before + 1) === before ? "start" : keyOf(index % (before + 1));

/** The workflow of a spec; `ran` hears of each node that runs to its end. */
export function buildWorkflow(spec: WorkflowSpec, ran: (key: string) => void = () => {}) {
  const flow = new Workflow<Given, unknown>().untyped();
  const nodesFrom = (index: number, count: number): string[] =>
    spec.slice(index, index + count).map((_, n) => keyOf(index + n));
  for (const [index, { kind, shape, fields, runAfter, branch, caught }] of spec.entries()) {
    const key = keyOf(index);
    if (branch !== undefined) addBranch(flow, branch, sourceKey(branch.from, index), nodesFrom(index, branch.targets));
    const input = mappingOf(shape, fields, index, spec);
    const after = [...new Set(runAfter.map((one) => sourceKey(one, index)))];
    flow.addNode(key, bodyOf(kind, key, caught?.fails === true, ran), {
      ...(input === undefined ? {} : { input }),
      runAfter: after,
      ...(kind === "stream" ? { concat: "record" as const } : {}),
    });
    if (caught === undefined) continue;
    const targets = [...nodesFrom(index + 1, caught.targets), "end"];
    flow.addErrorBranch(key, targets, () => targets[caught.takes % targets.length]);
  }
  const last = spec.map((_, n) => [keyOf(n), from(keyOf(n), "text")] as const);
  return flow.end({ ...Object.fromEntries(last), input: from("start", "deep") });
}

function addBranch(
  flow: ReturnType<Workflow<Given, unknown>["untyped"]>,
  { kind, takes }: BranchSpec,
  source: string,
  targets: readonly string[],
): void {
  switch (kind) {
    case "branch":
      flow.addBranch(source, targets, () => targets.slice(0, takes));
      return;
    case "stream":
      // sees the first chunk, in which there is the same
      flow.addStreamBranch(source, targets, async (chunks: AsyncIterable<Partial<Given>>) => {
        for await (const { text = "" } of chunks) return targets.slice(0, takes + (text.charCodeAt(1) % 2));
        return [];
      });
      return;
    case "switch": {
      const [small = "end", large = "end"] = takes % 2 === 0 ? targets : targets.toReversed();
      flow.addSwitch(source, "size", { small, large });
      return;
    }
    default:
      kind satisfies never;
  }
}

function bodyOf(kind: NodeSpec["kind"], key: string, fails: boolean, ran: (key: string) => void) {
  const give = (given: unknown): Given => {
    if (fails) throw new Error(outputOf(key, given).text);
    ran(key);
    return outputOf(key, given);
  };
  if (kind === "stream") {
    return async function* (given: unknown) {
      const { text, deep, items, size } = outputOf(key, given);
      yield { text: text.slice(0, 2) };
      await undefined;
      yield { text: text.slice(2), deep: { text: deep.text.slice(0, 3) } };
      if (fails) throw new Error(text);
      yield { deep: { text: deep.text.slice(3) }, items, size };
      ran(key);
    };
  }
  if (kind === "asks") {
    return async (given: unknown, ctx: NodeContext) => {
      return give([given, await ctx.ask("more", { key })]);
    };
  }
  return (given: unknown) => give(kind === "answered" ? [given, "yes"] : given);
}

function mappingOf(
  shape: NodeSpec["shape"],
  fields: readonly ReadSpec[],
  before: number,
  spec: WorkflowSpec,
): Mapping | undefined {
  const reads = fields.map(({ from: index, path, option }) => {
    const key = sourceKey(index, before);
    const options = option === "dataOnly" ? { dataOnly: true } : option === "default" ? { default: "none" } : {};
    return path === "" || path === "failure" ? from(key, options) : from(key, path, options);
  });
  const sources = fields.map(({ from: index, path }, n): Mapping => {
    const key = sourceKey(index, before);
    const hasFailure = key !== "start" && spec[index % (before + 1)]?.caught !== undefined;
    return path === "failure" && hasFailure ? failureOf(key, "error.cause.message") : (reads[n] as Mapping);
  });
  const [firstRead, ...otherReads] = reads;
  const [first] = sources;
  if (first === undefined || firstRead === undefined || shape === "none") return undefined;
  if (shape === "whole") return first;
  if (shape === "first") return firstOf(firstRead, ...otherReads);
  const flat = Object.fromEntries(sources.map((source, n) => [`f${n}`, source]));
  return shape === "flat" ? flat : { inner: { ...flat, fixed: constant([1]) }, outer: first };
}
