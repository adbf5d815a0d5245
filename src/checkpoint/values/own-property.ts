/** Sets a property of its own, whatever prototypes have under that key: setters, constants, `__proto__`. */
export function setOwn(target: Record<string | number, unknown>, key: string | number, value: unknown): void {
  if (key in target) defineOwn(target, key, value, true);
  else target[key] = value;
}

export function defineOwn(target: object, key: string | number, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}
