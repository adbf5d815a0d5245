/** The object itself, or a copy without the keys whose value is undefined: JSON would lose them. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const key in object) {
    if (object[key] === undefined) {
      return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
    }
  }
  return object;
}
