import type { FromSource, Path } from "../../compose/plan/mapping.js";
import { END_INDEX } from "../../compose/plan/plan.js";
import { kindOf } from "../../wording.js";
import { mappingFailed } from "../errors.js";
import type { Run } from "../run.js";

/**
 * Marks missing data: the output of a skipped node, an absent field, an index past the end. For `default`, `required` and
 * `firstOf`, a value that is `undefined` is missing too.
 */
export const MISSING: unique symbol = Symbol("missing");

/** The node whose input a mapping assembles. */
export interface MappingTarget {
  readonly run: Run;
  readonly target: number;
}

/** A source and the field that it fills. */
export interface Reading {
  readonly source: FromSource;
  readonly field: Path;
}

/**
 * Reads a path, or its steps `from` to `to`, in an output: own properties only. Throws if a step leads into a scalar, or `*`
 * is applied to anything but a list.
 */
export function readPath(
  value: unknown,
  reading: Reading,
  at: MappingTarget,
  from = 0,
  to = reading.source.path.length,
): unknown {
  const { path } = reading.source;
  let current = value;
  for (let n = from; n < to; n++) {
    if (current === undefined || current === null) return MISSING;
    const step = path[n] as string;
    if (step === "*") {
      if (!Array.isArray(current)) throw failed(reading, at, `"*" needs a list, and finds ${kindOf(current)}`);
      return Array.from(current, (item) => orUndefined(readPath(item, reading, at, n + 1, to)));
    }
    if (typeof current !== "object") throw failed(reading, at, `"${step}" leads into ${kindOf(current)}`);
    if (!Object.hasOwn(current, step)) return MISSING;
    current = (current as Readonly<Record<string, unknown>>)[step];
  }
  return current;
}

export const isMissing = (value: unknown): boolean => value === MISSING || value === undefined;

export function orUndefined(value: unknown): unknown {
  return value === MISSING ? undefined : value;
}

/** The final value of a source: its default replaces missing data; a required source throws. */
export function settled(found: unknown, reading: Reading, at: MappingTarget): unknown {
  if (!isMissing(found)) return found;
  const { fallback, required } = reading.source;
  if (fallback !== undefined) return deepCopyOf(fallback.value);
  if (required) throw failed(reading, at, "it is required, and is missing");
  return found;
}

function failed({ source, field }: Reading, { run, target }: MappingTarget, why: string): unknown {
  const path = source.path.length === 0 ? "" : ` at "${source.path.join(".")}"`;
  const where = { source: `"${source.key}"${path}`, field: field.join(".") };
  return run.blame(mappingFailed(run.pathOf(target), target === END_INDEX, where, why), target);
}

/** Deeply copies plain records and lists, cycles included, so that runs do not share them; other values are kept as they are. */
export function deepCopyOf(value: unknown, known?: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const prototype: object | null = Object.getPrototypeOf(value);
  const isList = Array.isArray(value);
  if (!isList && prototype !== null && prototype !== Object.prototype) return value;
  const copies = known ?? new Map<object, unknown>();
  const done = copies.get(value);
  if (done !== undefined) return done;
  const copy: object = isList ? new Array(value.length) : Object.create(prototype);
  copies.set(value, copy);
  for (const [key, own] of Object.entries(value)) {
    // an assignment to "__proto__" would set the prototype
    Object.defineProperty(copy, key, { ...plain, value: deepCopyOf(own, copies) });
  }
  return copy;
}

const plain = { configurable: true, enumerable: true, writable: true };
