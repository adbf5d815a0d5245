/** Sets an own property, also where a prototype has a setter, a read-only property or `__proto__` under the key. */
export function setOwn(target: Record<string | number, unknown>, key: string | number, value: unknown): void {
  if (key in target) defineOwn(target, key, value, true);
  else target[key] = value;
}

export function defineOwn(target: object, key: string | number, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}
