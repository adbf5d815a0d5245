import type { Value } from "./spec.js";

/** A value as text, whatever the order of its keys. A record without its fields is as good as none. */
export function written(value: Value): string {
  if (value === undefined) return "{}";
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${key}:${written(field)}`)
    .join()}}`;
}

export function digest(text: string): string {
  let hash = 7;
  for (let n = 0; n < text.length; n++) hash = (Math.imul(hash, 31) + text.charCodeAt(n)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0).toString(36).padStart(7, "0");
}

/** One visit of a place: the place, and what it is given. */
export const visitOf = (path: string, input: Value): string => `${path}@${digest(written(input))}`;

/** The output of a visit. Its first letters do not depend on the input. */
export const outputOf = (path: string, visit: string, answers: readonly string[]): string =>
  `${path.split("/").at(-1)}~${digest(`${visit} ${answers.join()}`)}`;

export const questionOf = (visit: string, n: number): string => `${visit}?${n}`;
export const answerTo = (question: string): string => `A${digest(question)}`;
export const onceOf = (visit: string): string => `${visit}!once`;
export const fallbackOf = (path: string, input: Value): string => `${visitOf(path, input)}!fallback`;
export const failureOf = (visit: string): string => `fails: ${visit}`;
