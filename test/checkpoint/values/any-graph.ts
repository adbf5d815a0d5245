import fc from "fast-check";
import { KumikoError, ToolError } from "kumiko";
import type { AnyClassCodec } from "../../../src/checkpoint/values/class-codec.js";

export class Person {
  readonly name: unknown;
  readonly friends: unknown[];
  constructor(name: unknown, friends: unknown[]) {
    this.name = name;
    this.friends = friends;
  }
}

export const graphCodecs: readonly AnyClassCodec[] = [
  {
    name: "person",
    type: Person,
    encode: ({ name, friends }: Person) => ({ name, friends }),
    decode: ({ name, friends }: { name: unknown; friends: unknown[] }) => new Person(name, friends),
  },
];

const leaf = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, Number.NaN, Infinity, -Infinity, -0, 0, -1, -2, -7, true, false),
  fc.constantFrom(
    "",
    "Date",
    "Class",
    "Error",
    "__proto__",
    "constructor",
    "toJSON",
    "then",
    "\ud800",
    "\u2028</script>",
  ),
  fc.string(),
  fc.double(),
  fc.bigInt(),
);

/** A value, and how it comes to lead to others. */
interface Made {
  readonly value: object;
  lead(to: readonly unknown[]): void;
}

/** How each kind of node is made around some leaves. */
const kinds: Readonly<Record<string, (items: readonly unknown[]) => Made>> = {
  record: (items) => filled({}, items),
  bare: (items) => filled(Object.create(null), items),
  list(items) {
    const list = [...items];
    return { value: list, lead: (to) => void list.push(...to) };
  },
  holes(items) {
    const list: unknown[] = [];
    const lead = (to: readonly unknown[]) => {
      for (const [index, item] of [...items, ...to].entries()) list[index * 3 + 1] = item;
      list.length += 2;
    };
    return { value: list, lead };
  },
  map(items) {
    const map = new Map<unknown, unknown>(items.map((item, index) => [item, index]));
    const lead = (to: readonly unknown[]) => {
      for (const [index, key] of to.entries()) map.set(key, to[index + 1] ?? "last");
    };
    return { value: map, lead };
  },
  set(items) {
    const set = new Set(items);
    const lead = (to: readonly unknown[]) => {
      for (const member of to) set.add(member);
    };
    return { value: set, lead };
  },
  error(items) {
    const error = new TypeError(String(items.length));
    return { value: error, lead: (to) => void Object.assign(error, { code: items, to: [...to] }) };
  },
  cause(items) {
    const error = new RangeError("x", { cause: items });
    return { value: error, lead: ([cause]) => void Object.defineProperty(error, "cause", { value: cause }) };
  },
  aggregate(items) {
    const error = new AggregateError(items);
    return { value: error, lead: (to) => void error.errors.push(...to) };
  },
  library(items) {
    const error = new KumikoError("CYCLE", "x", { nodePath: items.map(String), cause: items });
    return { value: error, lead: (to) => void Object.assign(error, { to: [...to] }) };
  },
  tool(items) {
    const output = [...items];
    const error = new ToolError("timeout", "x", { toolName: "t", callId: "c", output });
    return { value: error, lead: (to) => void output.push(...to) };
  },
  person(items) {
    const friends = [...items];
    return { value: new Person(items[0], friends), lead: (to) => void friends.push(...to) };
  },
  date: ({ length }) => alone(new Date(length === 0 ? Number.NaN : length * 1e12)),
  address: ({ length }) => alone(new URL(`https://example.org/${length}`)),
  pattern: ({ length }) => alone(new RegExp(`a{${length}}`, "giu")),
  boxed: ({ length }) => alone(Object(length)),
  bytes: ({ length }) => alone(new Uint8Array(length).fill(length)),
  numbers: ({ length }) => alone(new Float64Array(length).fill(length / 3)),
  view: ({ length }) => alone(new DataView(new ArrayBuffer(length))),
  buffer: ({ length }) => alone(new ArrayBuffer(length)),
};

const alone = (value: object): Made => ({ value, lead: () => undefined });

const names = ["__proto__", "a", "toString", "0", "b c"];

function filled(value: object, items: readonly unknown[]): Made {
  const define = (key: string, item: unknown) =>
    Object.defineProperty(value, key, { value: item, enumerable: true, writable: true, configurable: true });
  for (const [index, item] of items.entries()) define(names[(index + items.length) % names.length] ?? "", item);
  const lead = (to: readonly unknown[]) => {
    for (const [index, item] of to.entries()) define(`to${index}`, item);
  };
  return { value, lead };
}

const node = fc.record({
  kind: fc.constantFrom(...Object.keys(kinds)),
  items: fc.array(leaf, { maxLength: 4 }),
  to: fc.array(fc.nat(29), { maxLength: 4 }),
});

/** A value of all that can be saved: a leaf, or a graph with sharing and cycles. */
export const anyGraph: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 1, arbitrary: leaf },
  {
    weight: 20,
    arbitrary: fc.array(node, { minLength: 1, maxLength: 30 }).map((nodes) => {
      const made = nodes.map(({ kind, items }) => kinds[kind]?.(items) ?? alone({}));
      for (const [index, { to }] of nodes.entries())
        made[index]?.lead(to.map((other) => made[other % made.length]?.value));
      return made.length % 2 === 0 ? made[0]?.value : made.map(({ value }) => value);
    }),
  },
);
