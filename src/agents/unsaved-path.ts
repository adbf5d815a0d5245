import { isObject } from "../is.js";

/** The path of the first value in another one that cannot be copied, such as `a.list[2].fn`; empty for the value itself. */
export function pathOfUnsaved(value: unknown): string {
  const path: string[] = [];
  const seen = new Set<object>();
  for (let current = value; isObject(current) && !seen.has(current); ) {
    seen.add(current);
    const next = entriesOf(current).find(([, inner]) => !canBeCopied(inner));
    if (next === undefined) break;
    path.push(next[0]);
    current = next[1];
  }
  return path.join("").replace(/^\./, "");
}

function entriesOf(value: object): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((inner, index) => [`[${index}]`, inner] as const);
  if (value instanceof Map) return [...value].map(([key, inner]) => [`.get(${JSON.stringify(key)})`, inner] as const);
  if (value instanceof Set) return [...value].map((inner, index) => [`[${index}]`, inner] as const);
  return Object.entries(value).map(([key, inner]) => [`.${key}`, inner] as const);
}

function canBeCopied(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
