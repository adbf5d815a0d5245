import { integerKey } from "./errors.js";

/** Throws for keys that look like integers: JavaScript would move them to the front of a record. */
export function checkRecordKey(key: string): void {
  if (looksLikeInteger(key)) throw integerKey(key);
}

export function looksLikeInteger(key: string): boolean {
  return /^-?\d+$/.test(key);
}

/** The compile-time check: an error sentence for a key that looks like an integer, otherwise "". (`number` means unknown keys.) */
export type IntegerProblem<Key> = number extends Key
  ? ""
  : Key extends number | `${bigint}`
    ? `"${Key}" looks like an integer, and JavaScript would move it to the front`
    : "";
