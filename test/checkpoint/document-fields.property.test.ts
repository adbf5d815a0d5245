import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/checkpoint/document/read-document.js";
import {
  type Answer,
  type CallSnapshot,
  type InnerSnapshot,
  type InvocationSnapshot,
  lateAnswer,
  type NodeStop,
  type Question,
  type RunSnapshot,
  type Slot,
  type TaskSnapshot,
} from "../../src/checkpoint/document/snapshot.js";
import { headFields, writeHead, writeRun } from "../../src/checkpoint/document/write-document.js";
import { WrittenDocument } from "../../src/checkpoint/document/written-document.js";
import { ValueCodec } from "../../src/checkpoint/values/value-codec.js";
import { numberOfRuns, patience } from "../number-of-runs.js";

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
  fc.record({ hasData: fc.constant(true), data: value }),
  fc.constant(lateAnswer),
);
const question = record<Question>({
  id: text,
  kind: fc.constantFrom("ask", "interrupt"),
  key: text,
  address: text,
  info: value,
  schema: perhaps(fc.constant({ type: "string" })),
  state: perhaps(slot),
  expiresAt: perhaps(fc.nat()),
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
    keepsState: perhaps(fc.boolean()),
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

const nothing = { owner: undefined, claim: undefined, attempts: undefined, due: undefined, requested: undefined };
const head = { ...nothing, status: "stopped", since: 2, answered: [], error: undefined } as const;
const identity = { runKey: "key", graph: "g", startedAt: 1 };
const bytes = (document: string): Uint8Array => new TextEncoder().encode(document);
const documentOf = (root: string): string => `${writeHead(identity, headFields(head))},"root":${root}}`;

/** What is read when the second form of a run has been appended to the first. */
function afterEntry(before: RunSnapshot, after: RunSnapshot): RunSnapshot | undefined {
  const data = bytes(documentOf(writeRun(before, codec)));
  const change = entryOf(before, after);
  const appended = change === "" ? [] : [bytes(`{"root":${change}}`)];
  return readDocument({ data, appended, version: 1 }, codec).root;
}

function entryOf(before: RunSnapshot, after: RunSnapshot): string {
  const written = new WrittenDocument(codec);
  written.write(before);
  return written.update(after);
}

const invocation: InvocationSnapshot = {
  address: "runnable:;node:a",
  settled: true,
  questions: [],
  once: [],
  prepared: undefined,
  produced: undefined,
  inner: [],
  calls: [],
};
const asked: Question = {
  id: "first",
  kind: "ask",
  key: "k",
  address: "runnable:;node:a",
  info: "?",
  schema: undefined,
  state: undefined,
  answer: undefined,
  fresh: false,
};
const done: TaskSnapshot = {
  node: "a",
  kind: "lambda",
  step: 0,
  done: true,
  output: undefined,
  targets: undefined,
  visit: undefined,
  route: undefined,
};
const whole: RunSnapshot = {
  address: "runnable:",
  base: 0,
  state: { value: { messages: [] } },
  tasks: [],
  stop: undefined,
  passed: [],
};

describe("A document", () => {
  it("gives back every field of a run that was written", patience, () => {
    let withAll = 0;
    fc.assert(
      fc.property(run, (given) => {
        const { root } = readDocument({ data: bytes(documentOf(writeRun(given, codec))), version: 1 }, codec);
        expect(root).toEqual(given);
        if (given.tasks.some(({ visit }) => visit?.inner.some((inner) => inner.run !== undefined))) withAll++;
      }),
      { numRuns: numberOfRuns(250) },
    );
    expect(withAll).toBeGreaterThan(10);
  });

  it("gives back every field of a run that an entry has brought", patience, () => {
    let withAll = 0;
    const keyOf = ({ node, step }: TaskSnapshot): string => `${step} ${node}`;
    fc.assert(
      fc.property(run, (given) => {
        const tasks = given.tasks.filter(
          (task, index, all) => all.findIndex((other) => keyOf(other) === keyOf(task)) === index,
        );
        const after: RunSnapshot = { ...given, base: 0, tasks };
        const before: RunSnapshot = { ...after, state: undefined, tasks: [], stop: undefined, passed: [] };
        expect(afterEntry(before, after)).toEqual(after);
        if (tasks.some(({ visit }) => visit?.inner.some((inner) => inner.run !== undefined))) withAll++;
      }),
      { numRuns: numberOfRuns(250) },
    );
    expect(withAll).toBeGreaterThan(10);
  });

  it("gives back values to which other parts of an entry refer", () => {
    const [long, other] = ["a".repeat(100), "b".repeat(100)];
    const message = { role: "user", text: long };
    const question: Question = { ...asked, answer: { hasData: true, data: message } };
    const visit: InvocationSnapshot = { ...invocation, questions: [question] };
    const inner: RunSnapshot = { ...whole, tasks: [{ ...done, step: 1, output: { value: [message] } }] };
    const entered: InvocationSnapshot = {
      ...invocation,
      prepared: { value: { given: message } },
      produced: { value: other },
      inner: [{ key: "", result: undefined, run: inner }],
      calls: [
        { index: 0, callId: "c", result: undefined, visit: { ...invocation, prepared: { value: [other, long] } } },
      ],
    };
    const before: RunSnapshot = {
      ...whole,
      tasks: [{ ...done, done: false, visit: { ...invocation, questions: [asked] } }],
    };
    const after: RunSnapshot = {
      ...whole,
      state: { value: { messages: [message, { text: other }] } },
      tasks: [
        { ...done, done: false, visit },
        { ...done, step: 2, output: { value: [other, message] } },
        { ...done, step: 3, done: false, visit: entered },
        { ...done, step: 4, route: entered },
      ],
    };
    const text = entryOf(before, after);
    expect(text.split(long)).toHaveLength(2);
    expect(text.split(other)).toHaveLength(2);
    expect(afterEntry(before, after)).toEqual(after);
  });

  it("gives back answers, one after the other", () => {
    const states = [
      [asked],
      [{ ...asked, answer: { hasData: true, data: 1 }, fresh: true }],
      [
        { ...asked, answer: { hasData: true, data: 1 } },
        { ...asked, id: "second" },
      ],
      [asked, { ...asked, id: "second", answer: { hasData: false, data: undefined }, fresh: true }],
      [asked, { ...asked, id: "second", answer: { hasData: false, data: undefined } }],
    ];
    const snapshots = states.map((questions) => ({
      ...whole,
      tasks: [{ ...done, done: false, visit: { ...invocation, questions } }],
    }));
    const [first = whole, ...rest] = snapshots;
    const written = new WrittenDocument(codec);
    const data = bytes(documentOf(written.write(first)));
    const appended: Uint8Array[] = [];
    for (const snapshot of rest) {
      appended.push(bytes(`{"root":${written.update(snapshot)}}`));
      expect(readDocument({ data, appended, version: 1 }, codec).root).toEqual(snapshot);
    }
  });

  it("gives back every field of its head", () => {
    const head = {
      status: "running",
      since: 5,
      owner: "o",
      claim: "c",
      attempts: 2,
      due: 7,
      answered: ["a", "b"],
      requested: "r",
    } as const;
    const whole = { ...identity, isPassing: true, isUnlisted: true, threadId: "t", userId: "u" };
    const error = `[${codec.encode(new RangeError("too far"), "the error")}]`;
    const document = `${writeHead(whole, headFields({ ...head, error }))},"root":null}`;
    const read = readDocument({ data: new TextEncoder().encode(document), version: 1 }, codec);
    const { due, ...rest } = head;
    const { threadId, userId, ...named } = whole;
    expect(read).toMatchObject({ ...rest, ...named, root: undefined });
    expect(read.index).toEqual({ status: "running", graph: "g", owner: "o", since: 5, due, threadId, userId });
    expect(read.error?.value).toEqual(new RangeError("too far"));
  });
});
