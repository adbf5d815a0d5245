import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/checkpoint/document/read-document.js";
import type {
  Answer,
  CallSnapshot,
  InnerSnapshot,
  InvocationSnapshot,
  NodeStop,
  Question,
  RunSnapshot,
  Slot,
  TaskSnapshot,
} from "../../src/checkpoint/document/snapshot.js";
import { headFields, writeHead, writeRun } from "../../src/checkpoint/document/write-document.js";
import { ValueCodec } from "../../src/checkpoint/values/value-codec.js";

/** Every field, also the optional ones: one that is added to a snapshot and not here does not compile. */
type FieldsOf<T> = { readonly [Name in keyof T]-?: Arbitrary<T[Name]> };

const codec = new ValueCodec([]);
const text = fc.string({ unit: "binary", maxLength: 8 });
const texts = fc.array(text, { maxLength: 3 });
const value: Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).filter((json) => !JSON.stringify(json).includes("-0")),
  fc.constant(undefined),
  fc.date({ noInvalidDate: true }),
  fc.bigInt(),
);
const perhaps = <T>(of: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const listOf = <T>(of: Arbitrary<T>): Arbitrary<T[]> => fc.array(of, { maxLength: 2 });
const record = <T>(fields: FieldsOf<T>): Arbitrary<T> => fc.record(fields as never) as never;

const slot = record<Slot>({ value });
const answer: Arbitrary<Answer> = fc.oneof(
  fc.constant({ hasData: false, data: undefined }),
  record<Answer>({ hasData: fc.constant(true), data: value }),
);
const question = record<Question>({
  id: text,
  kind: fc.constantFrom("ask", "interrupt"),
  key: text,
  address: text,
  info: value,
  schema: perhaps(fc.constant({ type: "string" })),
  state: perhaps(slot),
  answer: perhaps(answer),
  fresh: fc.boolean(),
});
const stop = record<NodeStop>({ id: text, before: texts, after: texts, answer: perhaps(answer) });

const { run } = fc.letrec<{
  run: RunSnapshot;
  task: TaskSnapshot;
  invocation: InvocationSnapshot;
  inner: InnerSnapshot;
  call: CallSnapshot;
}>((tie) => ({
  run: record<RunSnapshot>({
    address: text,
    base: fc.integer({ min: -1, max: 9 }),
    state: perhaps(slot),
    tasks: listOf(tie("task")),
    stop: perhaps(stop),
    passed: texts,
    chain: perhaps(listOf(fc.tuple(text, text, text))),
  }),
  task: record<TaskSnapshot>({
    node: text,
    kind: text,
    step: fc.nat(9),
    done: fc.boolean(),
    output: perhaps(slot),
    chunks: perhaps(listOf(value)),
    unjoinable: perhaps(slot),
    failed: perhaps(fc.constant(true)),
    targets: perhaps(texts),
    visit: fc.option(tie("invocation"), { nil: undefined, depthIdentifier: "nesting", maxDepth: 3 }),
    route: fc.option(tie("invocation"), { nil: undefined, depthIdentifier: "nesting", maxDepth: 3 }),
  }),
  invocation: record<InvocationSnapshot>({
    address: text,
    settled: fc.boolean(),
    questions: listOf(question),
    once: listOf(fc.tuple(text, value)),
    prepared: perhaps(slot),
    produced: perhaps(slot),
    inner: listOf(tie("inner")),
    calls: listOf(tie("call")),
  }),
  inner: record<InnerSnapshot>({
    key: text,
    result: perhaps(slot),
    run: fc.option(tie("run"), { nil: undefined, depthIdentifier: "nesting", maxDepth: 3 }),
  }),
  call: record<CallSnapshot>({
    index: fc.nat(9),
    callId: text,
    result: perhaps(slot),
    visit: fc.option(tie("invocation"), { nil: undefined, depthIdentifier: "nesting", maxDepth: 3 }),
  }),
}));

describe("A document", () => {
  it("gives back every field of a run that was written", { timeout: 60_000 }, () => {
    const head = { status: "stopped", owner: undefined, claim: undefined, answered: [], requested: undefined } as const;
    let withAll = 0;
    fc.assert(
      fc.property(run, (given) => {
        const document = `${writeHead("key", headFields(head))},"root":${writeRun(given, codec)}}`;
        const { root } = readDocument({ data: new TextEncoder().encode(document), version: 1 }, codec);
        expect(root).toEqual(given);
        if (given.tasks.some(({ visit }) => visit?.inner.some((inner) => inner.run !== undefined))) withAll++;
      }),
      { numRuns: 500 },
    );
    expect(withAll).toBeGreaterThan(10);
  });

  it("gives back every field of its head", () => {
    const head = { status: "running", owner: "o", claim: "c", answered: ["a", "b"], requested: "r" } as const;
    const document = `${writeHead("key", headFields(head))},"root":null}`;
    const read = readDocument({ data: new TextEncoder().encode(document), version: 1 }, codec);
    expect(read).toMatchObject({ ...head, runKey: "key", root: undefined });
  });
});
