/**
 * Parsing bigints and patterns takes more than linear time. Both are limited, so that a forged document is rejected quickly; a
 * value beyond the limit cannot be saved either.
 */
const bigintBits = 262_144n;

/** The number of digits of the largest bigint that can be saved, plus a sign. */
const longestBigint = 78_914 + 1;

/** A pattern such as `[\p{L}\p{L}…]` of this length takes Node.js about a second. */
export const longestPattern = 32_768;

export function isBigintTooLong(value: bigint): boolean {
  const rest = value >> bigintBits;
  return rest !== 0n && rest !== -1n;
}

/** Whether a string is a bigint that could have been saved. */
export function isBigintText(text: string): boolean {
  return text.length <= longestBigint && /^-?\d+$/.test(text);
}

/** Whether a string is a result of `toISOString`, or the empty string of an invalid date. */
export function isDateText(text: string): boolean {
  if (text === "") return true;
  const isIso = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
  return isIso && !Number.isNaN(Date.parse(text));
}
