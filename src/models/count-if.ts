/** A count of tokens as a service reports it; what cannot be one (negative, a fraction, `NaN`, text) is not reported. */
export function countIf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
