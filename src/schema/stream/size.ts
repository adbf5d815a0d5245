/** Whether a value is a valid limit of chunks: a whole number of at least 1, or `Infinity`. */
export function isSize(given: unknown): boolean {
  return given === Number.POSITIVE_INFINITY || (Number.isInteger(given) && Number(given) >= 1);
}
