import { hasMethod, isFields, isPlainObject } from "../../is.js";

/**
 * Whether a value has what is expected: objects need the named keys, lists the same length; regular expressions test strings,
 * functions return `true`, matchers such as `expect.any` are asked, and `undefined` demands absence.
 */
export function matchesValue(actual: unknown, expected: unknown): boolean {
  if (expected instanceof RegExp) return typeof actual === "string" && tests(expected, actual);
  if (typeof expected === "function") return expected(actual) === true;
  if (hasMethod(expected, "asymmetricMatch")) {
    return (expected as { asymmetricMatch(value: unknown): unknown }).asymmetricMatch(actual) === true;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((item, index) => matchesValue(actual[index], item));
  }
  if (!isPlainObject(expected)) return Object.is(actual, expected);
  if (!isFields(actual)) return false;
  return Object.keys(expected).every((key) => {
    return matchesValue(Object.hasOwn(actual, key) ? actual[key] : undefined, expected[key]);
  });
}

/** Also for patterns that remember where they were. */
export function tests(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  const isMatch = pattern.test(text);
  pattern.lastIndex = 0;
  return isMatch;
}

/** A value as code, for reasons: `{ cents: 500 }`. */
export function asCode(value: unknown, depth = 0): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "function") return "a function";
  if (Object.is(value, -0)) return "-0";
  if (value instanceof RegExp || typeof value !== "object" || value === null) return String(value);
  if (depth > 3) return "…";
  const inner = Array.isArray(value)
    ? value.map((item) => asCode(item, depth + 1))
    : Object.entries(value).map(([key, item]) => {
        return `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${asCode(item, depth + 1)}`;
      });
  const shown = inner.length > 8 ? [...inner.slice(0, 8), "…"] : inner;
  if (Array.isArray(value)) return `[${shown.join(", ")}]`;
  return shown.length === 0 ? "{}" : `{ ${shown.join(", ")} }`;
}
