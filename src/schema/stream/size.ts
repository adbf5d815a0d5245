/** Whether this bounds how many chunks may wait: a whole number of at least 1, or `Infinity` for no bound. */
export function isSize(given: unknown): boolean {
  return given === Number.POSITIVE_INFINITY || (Number.isInteger(given) && Number(given) >= 1);
}
