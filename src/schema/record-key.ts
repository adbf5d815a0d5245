import { integerKey } from "./errors.js";

/** Throws if JavaScript would move this key to the front of its record: the order of the fields would be lost. */
export function checkRecordKey(key: string): void {
  if (looksLikeInteger(key)) throw integerKey(key);
}

export function looksLikeInteger(key: string): boolean {
  return /^-?\d+$/.test(key);
}

/** What is wrong with a key of a record, for the compiler: a sentence, or nothing. (`number` stands for keys it cannot know.) */
export type IntegerProblem<Key> = number extends Key
  ? ""
  : Key extends number | `${bigint}`
    ? `"${Key}" looks like an integer, and JavaScript would move it to the front`
    : "";
