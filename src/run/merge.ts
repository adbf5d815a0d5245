import { END_INDEX } from "../compose/plan/plan.js";
import { isRecord } from "../is.js";
import { cannotMerge, describe } from "./errors.js";

/** The node whose inputs are joined, for error messages. */
export interface MergeTarget {
  readonly index: number;
  readonly run: { pathOf(index: number): readonly string[] };
}

/** Merges the records of several sources into one. Throws for a key that two of them have, and for values but records. */
export function mergeRecords(
  values: readonly unknown[],
  sources: readonly string[],
  target: MergeTarget,
): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (let n = 0; n < values.length; n++) {
    const value = values[n];
    if (!isRecord(value)) throw notARecord(value, sources[n] ?? "", target);
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(merged, key))
        throw duplicateRecordKey(key, ownerOf(key, values, sources), sources[n] ?? "", target);
      if (key === "__proto__") throw hostileKey(sources[n] ?? "", target);
      merged[key] = value[key];
    }
  }
  return merged;
}

function ownerOf(key: string, values: readonly unknown[], sources: readonly string[]): string {
  const first = values.findIndex((value) => isRecord(value) && Object.hasOwn(value, key));
  return sources[first] ?? "";
}

export function duplicateRecordKey(key: string, first: string, second: string, target: MergeTarget): Error {
  return mergeError(target, `duplicated key "${key}", from "${first}" and from "${second}". ${advice}`);
}

export function notARecord(value: unknown, source: string, target: MergeTarget): Error {
  return mergeError(target, `"${source}" gives ${describe(value)}, and only records can be joined. ${advice}`);
}

/** Assigning this key would set the prototype of the merged record. */
export function hostileKey(source: string, target: MergeTarget): Error {
  return mergeError(target, `"${source}" gives a record with the key "__proto__", which is refused. Give it another.`);
}

const advice = "Give the sources an outputKey, or the target a merge function.";

function mergeError({ run, index }: MergeTarget, why: string): Error {
  return cannotMerge(run.pathOf(index), index === END_INDEX, why);
}
