import type { ComputedSource, FailureSource, FirstSource, MappingPlan, Path } from "../../compose/plan/mapping.js";
import { isPromiseLike } from "../../is.js";
import { deepCopyOf, isMissing, type MappingTarget, MISSING, type Reading, readPath, settled } from "./read-path.js";

/** The outputs that a mapping reads, as whole values. */
export interface Outputs extends MappingTarget {
  /** The output of a node, or `MISSING` if it was skipped. */
  at(index: number): unknown;
  /** The failure of a node, or `MISSING` if it has not failed. */
  failureAt(index: number): unknown;
}

/** A mapping with its nodes resolved to indexes, and the functions that read them. */
export type BoundMapping = BoundSource | BoundRecord;

export interface BoundRecord {
  readonly kind: "record";
  readonly fields: readonly (readonly [field: string, mapping: BoundMapping])[];
  /** The record; a promise of it if user functions have to be awaited. */
  readonly read: (outputs: Outputs) => unknown;
  readonly mayWait: boolean;
}

export type BoundSource = BoundFrom | BoundFailure | BoundFirst | BoundComputed | BoundConstant;

interface Bound {
  readonly field: Path;
  /** The value, or `MISSING`; a user function may return a promise. */
  readonly read: (outputs: Outputs) => unknown;
  readonly mayWait: boolean;
}

export interface BoundFrom extends Bound {
  readonly kind: "from";
  readonly index: number;
  readonly reading: Reading;
}

export interface BoundFailure extends Bound {
  readonly kind: "failure";
  readonly index: number;
}

export interface BoundFirst extends Bound {
  readonly kind: "first";
  readonly sources: readonly BoundFrom[];
}

export interface BoundComputed extends Bound {
  readonly kind: "computed";
  readonly index: number;
}

export interface BoundConstant extends Bound {
  readonly kind: "constant";
  /** The value, unless each run gets a copy of its own. */
  readonly constant: unknown;
}

type IndexOf = (key: string) => number;

export function bindMapping(mapping: MappingPlan, indexOf: IndexOf, field: Path = []): BoundMapping {
  switch (mapping.kind) {
    case "record":
      return bindRecord(mapping.fields.map(([name, inner]) => [name, bindMapping(inner, indexOf, [...field, name])]));
    case "from":
      return bindFrom({ source: mapping, field }, indexOf);
    case "failure":
      return bindFailure(mapping, indexOf, field);
    case "first":
      return bindFirst(mapping, indexOf, field);
    case "computed":
      return bindComputed(mapping, indexOf, field);
    case "constant": {
      const { value } = mapping;
      const isPlain = typeof value !== "object" || value === null;
      const read = isPlain ? () => value : () => deepCopyOf(value);
      return { kind: "constant", field, mayWait: false, constant: isPlain ? value : undefined, read };
    }
    default:
      return mapping satisfies never;
  }
}

function bindFrom(reading: Reading, indexOf: IndexOf): BoundFrom {
  const { source, field } = reading;
  const index = indexOf(source.key);
  return { kind: "from", field, index, reading, mayWait: false, read: readerOf(reading, index) };
}

/** With a shortcut for the whole output. */
function readerOf(reading: Reading, index: number): Bound["read"] {
  const { path, fallback, required } = reading.source;
  if (path.length === 0 && fallback === undefined && !required) return (outputs) => outputs.at(index);
  return (outputs) => {
    const whole = outputs.at(index);
    return settled(whole === MISSING ? MISSING : readPath(whole, reading, outputs), reading, outputs);
  };
}

function bindFailure(source: FailureSource, indexOf: IndexOf, field: Path): BoundFailure {
  const index = indexOf(source.key);
  const reading: Reading = { source: { ...source, kind: "from", ...noOptions }, field };
  const read = (outputs: Outputs): unknown => {
    const failure = outputs.failureAt(index);
    return failure === MISSING ? MISSING : readPath(failure, reading, outputs);
  };
  return { kind: "failure", field, index, mayWait: false, read };
}

const noOptions = { dataOnly: false, fallback: undefined, required: false };

function bindFirst({ sources }: FirstSource, indexOf: IndexOf, field: Path): BoundFirst {
  const bound = sources.map((source) => bindFrom({ source, field }, indexOf));
  const read = (outputs: Outputs): unknown => {
    for (const source of bound) {
      const found = source.read(outputs);
      if (!isMissing(found)) return found;
    }
    return MISSING;
  };
  return { kind: "first", field, sources: bound, mayWait: false, read };
}

function bindComputed({ key, read: compute }: ComputedSource, indexOf: IndexOf, field: Path): BoundComputed {
  const index = indexOf(key);
  const read = (outputs: Outputs): unknown => {
    const whole = outputs.at(index);
    return whole === MISSING ? MISSING : compute(whole as never);
  };
  return { kind: "computed", field, index, mayWait: true, read };
}

function bindRecord(fields: BoundRecord["fields"]): BoundRecord {
  const mayWait = fields.some(([, inner]) => inner.mayWait);
  return { kind: "record", fields, mayWait, read: mayWait ? readLater(fields) : readNow(fields) };
}

/** Fills a copy of a record that has all keys and the constants, which is faster than adding keys to an empty one. */
function readNow(fields: BoundRecord["fields"]): Bound["read"] {
  const template = Object.fromEntries(fields.map(([name, inner]) => [name, constantOf(inner)]));
  const parts = fields.filter(([, inner]) => constantOf(inner) === undefined).map(partOf);
  return (outputs) => {
    const record: Record<string, unknown> = { ...template };
    let isWhole = true;
    for (let n = 0; n < parts.length; n++) {
      const { name, index, key, read } = parts[n] as Part;
      const whole = index === -1 ? undefined : outputs.at(index);
      let value: unknown;
      if (typeof whole === "object" && whole !== null && Object.hasOwn(whole, key))
        value = (whole as Readonly<Record<string, unknown>>)[key];
      // also for what has a default, or is required
      if (value === undefined) value = read(outputs);
      if (value === MISSING) isWhole = false;
      record[name] = value;
    }
    return isWhole ? record : withoutMissing(record);
  };
}

function constantOf(mapping: BoundMapping): unknown {
  return mapping.kind === "constant" ? mapping.constant : undefined;
}

function withoutMissing(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== MISSING));
}

/** A field of a record. If it takes one field of an output, that is read in place: `index` is its node, otherwise -1. */
interface Part extends Pick<Bound, "read"> {
  readonly name: string;
  readonly index: number;
  readonly key: string;
}

function partOf([name, inner]: BoundRecord["fields"][number]): Part {
  const { read } = inner;
  if (inner.kind !== "from") return { name, index: -1, key: "", read };
  const [key = "*", ...more] = inner.reading.source.path;
  return { name, index: key === "*" || more.length > 0 ? -1 : inner.index, key, read };
}

/** Fields keep their order, whichever is ready first. */
function readLater(fields: BoundRecord["fields"]): Bound["read"] {
  return (outputs) => {
    const record: Record<string, unknown> = {};
    const pending: PromiseLike<void>[] = [];
    for (const [name, inner] of fields) {
      const value = inner.read(outputs);
      if (value === MISSING) continue;
      record[name] = undefined;
      if (inner.mayWait && isPromiseLike(value)) {
        const filled = value.then((ready) => {
          record[name] = ready;
        });
        // Promise.all reports only the first of several failures
        filled.then(undefined, ignore);
        pending.push(filled);
      } else {
        record[name] = value;
      }
    }
    return pending.length === 0 ? record : Promise.all(pending).then(() => record);
  };
}

function ignore(): void {}
