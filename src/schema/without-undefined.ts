/** Returns the object without keys whose value is undefined, which JSON would lose: a copy only if there are any. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const key in object) if (object[key] === undefined) return definedOf(object);
  return object;
}

/** A loop takes a third of the time of `Object.fromEntries`. */
function definedOf<T extends object>(object: T): T {
  const kept: Partial<T> = {};
  for (const name of Object.keys(object) as (keyof T)[]) {
    const value = object[name];
    if (value === undefined) continue;
    if (name === "__proto__") return Object.fromEntries(Object.entries(object).filter(isDefined)) as T;
    kept[name] = value;
  }
  return kept as T;
}

function isDefined([, value]: readonly [string, unknown]): boolean {
  return value !== undefined;
}
