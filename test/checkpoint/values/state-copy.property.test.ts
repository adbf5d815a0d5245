import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeTrees } from "../../../src/checkpoint/document/change-tree.js";
import { StateCopy } from "../../../src/checkpoint/values/state-copy.js";
import { sharingTree } from "../../../src/checkpoint/values/tree.js";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { sameGraph } from "./same-graph.js";

const codec = new ValueCodec([]);
const plain = { refer: (text: string) => text };

/** What a store has of a state: its text, changed by differences. */
class Saved {
  readonly #copy = new StateCopy(codec, "state");
  #slot: unknown;
  changes = 0;
  wholes = 0;

  constructor(value: unknown) {
    this.#slot = JSON.parse(this.#copy.take(value));
  }

  save(value: unknown): void {
    const found = this.#copy.update(value, plain);
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
    changeTrees(trees, { change, shared, names }, () => undefined);
    this.#slot = trees;
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
  if (step.kind === "freeze" && target !== state) {
    const inner = objectsIn(target);
    // what contains the state itself would freeze it
    if (!inner.includes(state)) for (const object of inner) Object.freeze(object);
    return;
  }
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
      fc.property(anyValue, anyValue, steps, (first, second, course) => {
        const state = { first, second, list: [first === undefined ? 1 : { first: "item" }, { second: "item" }] };
        const saved = new Saved(state);
        for (const step of course) {
          apply(state, step);
          saved.save(state);
          expect(sameGraph(saved.value, state)).toBe(true);
        }
        counts.changes += saved.changes;
        counts.wholes += saved.wholes;
      }),
      { numRuns: 2_000 },
    );
    expect(counts.changes).toBeGreaterThan(2 * counts.wholes);
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
    ["a frozen item", (state: { list: unknown[] }) => state.list.push(Object.freeze({ role: "user" })), 100],
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

  it("does not read again what is frozen", () => {
    let reads = 0;
    const target = Object.freeze({ role: "user" });
    const item = new Proxy(target, {
      getOwnPropertyDescriptor: (of, name) => {
        reads++;
        return Reflect.getOwnPropertyDescriptor(of, name);
      },
    });
    const state = { list: [item], count: 0 };
    const copy = new StateCopy(codec, "state");
    copy.take(state);
    const before = reads;
    state.count++;
    copy.update(state, plain);
    expect([before > 0, reads - before]).toEqual([true, 0]);
  });

  it("names a frozen object that moves out of a frozen one which was not compared", () => {
    const inner = Object.freeze({ text: "inner" });
    const state: Record<string, unknown> = { before: 0, outer: Object.freeze({ inner }), after: 0 };
    const saved = new Saved(state);
    for (const name of ["after", "before"]) {
      state[name] = inner;
      saved.save(state);
      expect(sameGraph(saved.value, state)).toBe(true);
    }
  });
});
