import fc from "fast-check";
import type { NodeContext } from "../../../src/components/context.js";
import { firstOf, from, value } from "../../../src/compose/mapping.js";
import type { Mapping } from "../../../src/compose/types/workflow/sources.js";
import { Workflow } from "../../../src/compose/workflow.js";

/** What is read of an output, and how. */
interface ReadSpec {
  readonly from: number;
  readonly path: "" | "text" | "deep.text" | "items.*.n" | "items.0.n" | "absent" | "deep.absent";
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
  readonly branch: { readonly from: number; readonly targets: number; readonly takes: number } | undefined;
}

export type WorkflowSpec = readonly NodeSpec[];

const read: fc.Arbitrary<ReadSpec> = fc.record({
  from: fc.nat(1_000),
  path: fc.constantFrom("", "text", "deep.text", "items.*.n", "items.0.n", "absent", "deep.absent"),
  option: fc.constantFrom("none", "none", "dataOnly", "default"),
});

const node = (kinds: readonly NodeSpec["kind"][]): fc.Arbitrary<NodeSpec> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    fields: fc.array(read, { minLength: 1, maxLength: 3 }),
    shape: fc.constantFrom("whole", "flat", "flat", "nested", "first", "none"),
    runAfter: fc.array(fc.nat(1_000), { maxLength: 2 }),
    branch: fc.option(fc.record({ from: fc.nat(1_000), targets: fc.integer({ min: 1, max: 3 }), takes: fc.nat(3) }), {
      nil: undefined,
      freq: 2,
    }),
  });

export const workflowSpec = (...kinds: readonly NodeSpec["kind"][]): fc.Arbitrary<WorkflowSpec> =>
  fc.array(node(kinds), { minLength: 1, maxLength: 9 });

/** What every node gives: its name, and what it was given, as text. */
export interface Given {
  readonly text: string;
  readonly deep: { readonly text: string };
  readonly items: readonly { readonly n: number }[];
}

export const input: Given = outputOf("in", undefined);

function outputOf(key: string, given: unknown): Given {
  const text = `${key}(${given === undefined ? "-" : hash(JSON.stringify(given))})`;
  return { text, deep: { text: `deep ${text}` }, items: [{ n: key.length }, { n: text.length }] };
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
  for (const [index, { kind, shape, fields, runAfter, branch }] of spec.entries()) {
    if (branch !== undefined) {
      const targets = Array.from({ length: branch.targets }, (_, n) => keyOf(index + n)).filter(
        (key) => Number(key.slice(1)) < spec.length,
      );
      flow.addBranch(sourceKey(branch.from, index), targets, () => targets.slice(0, branch.takes));
    }
    const input = mappingOf(shape, fields, index);
    const after = [...new Set(runAfter.map((one) => sourceKey(one, index)))];
    flow.addNode(keyOf(index), bodyOf(kind, keyOf(index), ran), {
      ...(input === undefined ? {} : { input }),
      runAfter: after,
      ...(kind === "stream" ? { concat: "record" as const } : {}),
    });
  }
  const last = Array.from({ length: spec.length }, (_, n) => [keyOf(n), from(keyOf(n), "text")] as const);
  return flow.end({ ...Object.fromEntries(last), input: from("start", "deep") });
}

function bodyOf(kind: NodeSpec["kind"], key: string, ran: (key: string) => void) {
  if (kind === "stream") {
    return async function* (given: unknown) {
      const { text, deep, items } = outputOf(key, given);
      yield { text: text.slice(0, 2) };
      await undefined;
      yield { text: text.slice(2), deep: { text: deep.text.slice(0, 3) } };
      yield { deep: { text: deep.text.slice(3) }, items };
      ran(key);
    };
  }
  if (kind === "asks") {
    return async (given: unknown, ctx: NodeContext) => {
      const answer = await ctx.ask("more", { key });
      ran(key);
      return outputOf(key, [given, answer]);
    };
  }
  return (given: unknown) => {
    ran(key);
    return outputOf(key, kind === "answered" ? [given, "yes"] : given);
  };
}

function mappingOf(shape: NodeSpec["shape"], fields: readonly ReadSpec[], before: number): Mapping | undefined {
  const sources = fields.map(({ from: index, path, option }) => {
    const key = sourceKey(index, before);
    const options = option === "dataOnly" ? { dataOnly: true } : option === "default" ? { default: "none" } : {};
    return path === "" ? from(key, options) : from(key, path, options);
  });
  const [first, ...others] = sources;
  if (first === undefined || shape === "none") return undefined;
  if (shape === "whole") return first;
  if (shape === "first") return firstOf(first, ...others);
  const flat = Object.fromEntries(sources.map((source, n) => [`f${n}`, source]));
  return shape === "flat" ? flat : { inner: { ...flat, fixed: value([1]) }, outer: first };
}
