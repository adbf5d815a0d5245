import { isObject } from "../../is.js";
/**
 * Maps the prototype of a built-in class of another realm to that of the same class in this one: sandboxes of test runners and
 * edge runtimes have their own `Object`, `Map` and `Date`. Every other prototype is returned as it is.
 */
export function localPrototype(prototype: object): object {
  const type: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof type !== "function" || type.prototype !== prototype || !isNative(type)) return prototype;
  const local: unknown = Reflect.get(globalThis, type.name);
  return typeof local === "function" && isNative(local) && isObject(local.prototype) ? local.prototype : prototype;
}

const isNative = (type: unknown): boolean =>
  typeof type === "function" && Function.prototype.toString.call(type).endsWith("{ [native code] }");
