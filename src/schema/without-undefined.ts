/** Returns the object without keys whose value is undefined, which JSON would lose: a copy only if there are any. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const key in object) {
    if (object[key] === undefined) {
      return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
    }
  }
  return object;
}
