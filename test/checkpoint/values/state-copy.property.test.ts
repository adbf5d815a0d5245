import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeTrees } from "../../../src/checkpoint/document/change-tree.js";
import { savedFormOf } from "../../../src/checkpoint/values/saved-form.js";
import { StateCopy } from "../../../src/checkpoint/values/state-copy.js";
import { sharingTree } from "../../../src/checkpoint/values/tree.js";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { numberOfRuns } from "../../number-of-runs.js";
import { sameGraph } from "./same-graph.js";

const codec = new ValueCodec([]);
const plain = { refer: (text: string) => text };

/** What a store has of a state: its text, changed by differences. */
class Saved {
  #copy = new StateCopy(codec, "state");
  /** Values that the document holds elsewhere: here, every one that was looked up. */
  readonly #repeated: unknown[] = [];
  readonly #refers: boolean;
  #slot: unknown;
  changes = 0;
  wholes = 0;

  constructor(value: unknown, refers = false) {
    this.#refers = refers;
    this.#slot = JSON.parse(this.#copy.take(value));
  }

  save(value: unknown): void {
    const refer = (text: string): string =>
      text.length < 8 ? text : `{"$":[${this.#repeated.push(JSON.parse(text)) - 1}]}`;
    const found = this.#copy.update(value, { refer: this.#refers ? refer : plain.refer });
    if (found === undefined) return;
    if ("whole" in found) {
      this.wholes++;
      this.#slot = JSON.parse(found.whole);
      return;
    }
    this.changes++;
    const trees = sharingTree(this.#slot as Record<string, unknown>);
    const [change, shared, names] = [found.change, found.shared, found.names].map((text) =>
      text === "" ? undefined : JSON.parse(text),
    );
    changeTrees(trees, { change, shared, names }, ([index]) => structuredClone(this.#repeated[Number(index)]));
    this.#slot = trees;
  }

  /** Goes on as another process does, with what it reads. */
  reopened(): unknown {
    const { value } = this;
    this.#copy = new StateCopy(codec, "state");
    this.#copy.takeRead(value, savedFormOf(value));
    return value;
  }

  get value(): unknown {
    return codec.decode(structuredClone(this.#slot), "state");
  }
}

const leaf = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom<unknown>(null, true, undefined, Number.NaN, -0, 0, "x".repeat(70), "x".repeat(71), 10n),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(3) }),
);
const key = fc.constantFrom("a", "b", "c", "$", "__proto__", "constructor", "1");
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map(recordOf),
    fc.array(tie("value"), { maxLength: 2 }).map((items) => new Set(items)),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 2 }).map((entries) => new Map(entries)),
  ),
}));

function recordOf(entries: readonly (readonly [string, unknown])[]): object {
  const record = {};
  for (const [name, value] of entries) define(record, name, value);
  return record;
}

/** Records alone have names: those of lists are not saved. */
function define(record: object, name: string, value: unknown): void {
  if (Array.isArray(record)) return;
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

type Step =
  | {
      readonly kind: "set" | "push" | "unshift" | "splice";
      readonly at: number;
      readonly name: string;
      readonly value: unknown;
    }
  | {
      readonly kind: "delete" | "shift" | "pop" | "text" | "share" | "rewrite" | "freeze";
      readonly at: number;
      readonly to: number;
      readonly name: string;
    };

const position = fc.nat({ max: 40 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("set" as const, "push" as const, "unshift" as const, "splice" as const),
      at: position,
      name: key,
      value: anyValue,
    }),
    fc.record({
      kind: fc.constantFrom(
        "delete" as const,
        "shift" as const,
        "pop" as const,
        "text" as const,
        "share" as const,
        "rewrite" as const,
        "freeze" as const,
      ),
      at: position,
      to: position,
      name: key,
    }),
  ),
  { minLength: 1, maxLength: 12 },
);

/** All records and lists in a value, each once. */
function objectsIn(value: unknown, found: object[] = []): object[] {
  if (typeof value !== "object" || value === null || found.includes(value)) return found;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return found;
  found.push(value);
  for (const part of Object.values(value)) objectsIn(part, found);
  return found;
}

function apply(state: object, step: Step): void {
  const objects = objectsIn(state);
  const target = objects[step.at % objects.length] ?? state;
  if (step.kind === "freeze" && target !== state) for (const object of objectsIn(target)) Object.freeze(object);
  if (Object.isFrozen(target)) return;
  if (Array.isArray(target)) applyToList(target, step);
  else if (step.kind === "set") define(target, step.name, step.value);
  else if (step.kind === "delete") Reflect.deleteProperty(target, step.name);
  else if (step.kind === "share") define(target, step.name, objects[step.to % objects.length]);
  else if (step.kind === "text") {
    const text: unknown = Reflect.get(target, step.name);
    if (typeof text === "string") define(target, step.name, `${text}more`);
  } else if (step.kind === "rewrite") {
    // the same content in another object, and in another order
    define(state, step.name, Object.fromEntries(Object.entries(state).reverse()));
  }
}

function applyToList(list: unknown[], step: Step): void {
  if (step.kind === "push") list.push(step.value);
  else if (step.kind === "unshift") list.unshift(step.value);
  else if (step.kind === "splice") list.splice(1, 1, step.value);
  else if (step.kind === "shift") list.shift();
  else if (step.kind === "pop") list.pop();
}

describe("The copy of a state", () => {
  it("tells differences that lead to the value, whatever is done to it", () => {
    const counts = { changes: 0, wholes: 0 };
    fc.assert(
      fc.property(anyValue, anyValue, steps, fc.boolean(), (first, second, course, refers) => {
        const state = { first, second, list: [first === undefined ? 1 : { first: "item" }, { second: "item" }] };
        const saved = new Saved(state, refers);
        for (const step of course) {
          apply(state, step);
          saved.save(state);
          expect(sameGraph(saved.value, state)).toBe(true);
        }
        counts.changes += saved.changes;
        counts.wholes += saved.wholes;
      }),
      { numRuns: numberOfRuns(1_000) },
    );
    expect(counts.changes).toBeGreaterThan(2 * counts.wholes);
  });

  it("tells them to the same document after it was read again", () => {
    const counts = { changes: 0, wholes: 0 };
    fc.assert(
      fc.property(anyValue, anyValue, steps, fc.infiniteStream(fc.boolean()), (first, second, course, reopens) => {
        let state: object = { first, second, list: [first === undefined ? 1 : { first: "item" }, { second: "item" }] };
        const saved = new Saved(state, reopens.next().value);
        for (const step of course) {
          apply(state, step);
          saved.save(state);
          expect(sameGraph(saved.value, state)).toBe(true);
          if (reopens.next().value) state = saved.reopened() as object;
        }
        counts.changes += saved.changes;
        counts.wholes += saved.wholes;
      }),
      { numRuns: numberOfRuns(1_000) },
    );
    expect(counts.changes).toBeGreaterThan(2 * counts.wholes);
  });

  it("keeps what is shared apart from what was, over readings", () => {
    const shared = { name: "one" };
    let state: Record<string, unknown> = { a: shared, b: shared };
    const saved = new Saved(state);
    for (const name of ["two", "three", "four"]) {
      state = saved.reopened() as typeof state;
      const next = { name };
      Object.assign(state, { b: { name: "alone" }, [`${name} left`]: next, [`${name} right`]: next });
      saved.save(state);
      expect(sameGraph(saved.value, state)).toBe(true);
    }
  });

  it("reads what is frozen once, however often it is saved", () => {
    let reads = 0;
    const frozen = Object.freeze(Array.from({ length: 10 }, (_, id) => Object.freeze({ id })));
    const counted = new Proxy(frozen, {
      get: (target, name) => {
        reads++;
        return Reflect.get(target, name);
      },
    });
    const state = { list: [counted], n: 0 };
    const saved = new Saved(state);
    reads = 0;
    for (state.n = 1; state.n <= 100; state.n++) saved.save(state);
    expect(reads).toBe(0);
    state.list.push(counted, frozen);
    saved.save(state);
    expect(saved.value).toEqual({ list: [[...frozen], [...frozen], [...frozen]], n: 101 });
  });

  it("finds that a part of what is frozen now occurs elsewhere too", () => {
    const inner = Object.freeze({ a: 1 });
    const outer = Object.freeze({ inner });
    const state: { before?: object; outer: object; after?: object } = { outer };
    const saved = new Saved(state);
    saved.save(state);
    state.after = inner;
    saved.save(state);
    expect(sameGraph(saved.value, state)).toBe(true);
    const other = { before: undefined as object | undefined, outer };
    const again = new Saved(other);
    again.save(other);
    other.before = inner;
    again.save(other);
    expect(sameGraph(again.value, other)).toBe(true);
  });

  it.each([
    ["a list that grows", (state: { list: unknown[] }) => state.list.push({ role: "user" }), 100],
    ["a list that is cut off at its front", (state: { list: unknown[] }) => state.list.splice(0, 100), 100],
    [
      "a list that is another one with the same items",
      (state: { list: unknown[] }) => Object.assign(state, { list: [...state.list, 1] }),
      100,
    ],
    ["a text that goes on", (state: { text: string }) => Object.assign(state, { text: `${state.text}!` }), 100],
    ["a date beside a long list", (state: { at: Date }) => Object.assign(state, { at: new Date(5) }), 120],
  ] as const)("says of %s only what is new", (_what, change, most) => {
    const state = {
      list: Array.from({ length: 500 }, (_, id) => ({ id })),
      text: "x".repeat(1_000),
      at: new Date(1),
    };
    const copy = new StateCopy(codec, "state");
    copy.take(state);
    (change as (given: typeof state) => unknown)(state);
    const found = copy.update(state, plain);
    expect(found).toHaveProperty("change");
    expect(JSON.stringify(found).length).toBeLessThan(most);
    expect(copy.update(state, plain)).toBeUndefined();
  });
});
