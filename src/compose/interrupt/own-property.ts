/** Sets a property of its own, whatever prototypes have under that key: setters, constants, `__proto__`. */
export function setOwn(target: object, key: string | number, value: unknown): void {
  if (key in target && !Object.hasOwn(target, key)) defineOwn(target, key, value, true);
  else Reflect.set(target, key, value);
}

export function defineOwn(target: object, key: string | number, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}
