/**
 * Bigints and patterns take much longer to read than their texts are long. Both have a limit, so that a forged document is
 * refused soon; a value beyond it cannot be saved either.
 */
const bigintBits = 262_144n;

/** The digits of the largest bigint that can be saved, and a sign. */
const longestBigint = 78_914 + 1;

/** A pattern such as `[\p{L}\p{L}…]` of this length takes Node.js about a second. */
export const longestPattern = 32_768;

export function isBigintTooLong(value: bigint): boolean {
  const rest = value >> bigintBits;
  return rest !== 0n && rest !== -1n;
}

/** Whether it is the text of a bigint that could have been saved. */
export function isBigintText(text: string): boolean {
  return text.length <= longestBigint && /^-?\d+$/.test(text);
}

/** Whether it is what `toISOString` gives, or the empty text of an invalid date. */
export function isDateText(text: string): boolean {
  if (text === "") return true;
  const isIso = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
  return isIso && !Number.isNaN(Date.parse(text));
}
