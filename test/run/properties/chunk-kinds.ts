import { ConcatRegistry, Runtime } from "kumiko";
import { isGiven } from "../../number-of-runs.js";

/** Joins by the registry of the runtime. It has a method, so that it is not a record. */
export class Tally {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  plus(other: Tally): Tally {
    return new Tally(this.count + other.count);
  }
}

/** Has no rule in the registry. */
export class Stamp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  print(): string {
    return this.text;
  }
}

/** The classes join and can be saved; what handlers cannot be told is nobody's concern. */
export const runtime = new Runtime({
  concat: new ConcatRegistry().add(Tally, (all) => all.reduce((sum, one) => sum.plus(one))),
  codecs: [
    { name: "tally", type: Tally, encode: ({ count }) => count, decode: (count) => new Tally(count as number) },
    { name: "stamp", type: Stamp, encode: ({ text }) => text, decode: (text) => new Stamp(text as string) },
  ],
  onHandlerError: () => undefined,
});

/** What nodes yield. */
export const kinds: Readonly<Record<string, readonly unknown[]>> = {
  texts: ["a", "b", "c"],
  numbers: [1, 2, 3],
  booleans: [true, false],
  lists: [["a"], ["b", "c"]],
  records: [{ a: "x" }, { a: "y", b: 1 }],
  "records in records": [{ a: { text: "x" } }, { a: { text: "y" } }],
  "one record": [{ a: "x", b: 1 }],
  "a class of the registry": [new Tally(1), new Tally(2)],
  "a class of no registry": [new Stamp("x"), new Stamp("y")],
  null: [null],
  "null twice": [null, null],
  "null and texts": [null, "a", null, "b"],
  "null and one record": [null, { a: "x" }],
  "null and numbers": [1, null, 2, null],
  "different things": ["a", 1, { a: "x" }],
  "no chunk": [],
};

type Join = (chunks: readonly unknown[]) => unknown;

const first: Join = (chunks) => chunks[0];
const count: Join = (chunks) => chunks.length;
const asRecord: Join = (chunks) => ({ a: `${chunks.length} of them` });

/** What nodes declare. */
export const concats: Readonly<Record<string, "list" | "last" | "record" | "text" | Join | undefined>> = {
  none: undefined,
  list: "list",
  last: "last",
  record: "record",
  text: "text",
  "a function that takes the first": first,
  "a function that counts": count,
  "a function that makes a record": asRecord,
};

export type Concat = (typeof concats)[string];

/** A value, or an error with its place. */
export type Expected = { readonly value: unknown } | { readonly code: string; readonly nodePath: readonly string[] };

/** What chunks of a user's node make by the rules alone; `place` is the node that declares how they join, or does not. */
export function joined(chunks: readonly unknown[], concat: Concat, place: readonly string[]): Expected {
  const refused: Expected = { code: "CANNOT_CONCAT", nodePath: place };
  if (chunks.length === 0) return { code: "EMPTY_STREAM", nodePath: place };
  const said = chunks.filter((chunk) => chunk !== null && chunk !== undefined);
  if (typeof concat === "function") return { value: concat(chunks) };
  switch (concat) {
    case "list":
      return { value: chunks.flat() };
    case "last":
      return { value: chunks.at(-1) };
    case "text":
      return said.some((chunk) => typeof chunk === "object") ? refused : { value: said.map(String).join("") };
    case "record":
      return said.every(isRecord) ? recordOf(said, true, refused) : refused;
    case undefined:
      return joinedByKind(said, refused);
    default:
      return concat satisfies never;
  }
}

function joinedByKind(said: readonly unknown[], refused: Expected): Expected {
  if (said.length < 2) return { value: said.length === 0 ? null : said[0] };
  if (said.every((chunk) => chunk instanceof Tally)) return { value: said.reduce((sum, one) => sum.plus(one)) };
  const [type, ...others] = new Set(said.map((chunk) => typeof chunk));
  if (type === undefined || type === "object" || others.length > 0) return refused;
  return { value: type === "string" ? said.join("") : said.at(-1) };
}

/** Key by key; with `deep` also records in them, and else what the values are decides. */
export function recordOf(records: readonly unknown[], deep: boolean, refused: Expected): Expected {
  const values: Record<string, unknown[]> = {};
  for (const record of records) {
    for (const [key, value] of Object.entries(record as object)) values[key] = [...(values[key] ?? []), value];
  }
  const whole: Record<string, unknown> = {};
  for (const [key, own] of Object.entries(values)) {
    const records = deep && own.length > 1 && own.every(isRecord);
    const part = records
      ? recordOf(own, deep, refused)
      : joinedByKind(
          own.filter((value) => value !== null),
          refused,
        );
    if (!("value" in part)) return part;
    whole[key] = part.value;
  }
  return { value: whole };
}

/** Of the kinds above only these are records. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

let turn = 0;

/** Every kind with every declaration when the number of runs is given; else a third of them, at each call another. */
export function* declaredKinds(): Generator<{ name: string; kind: readonly unknown[]; concat: Concat }> {
  turn += 1;
  for (const [row, [kindName, kind]] of Object.entries(kinds).entries()) {
    for (const [column, [concatName, concat]] of Object.entries(concats).entries()) {
      if (isGiven || (row + column + turn) % 3 === 0) yield { name: `${kindName}, concat ${concatName}`, kind, concat };
    }
  }
}
