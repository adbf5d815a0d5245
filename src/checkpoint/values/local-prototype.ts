import { isObject } from "../../is.js";
/**
 * The prototype of a built-in class of this realm for that of the same class in another: sandboxes of test runners and edge
 * runtimes have an `Object`, `Map` and `Date` of their own. Every other prototype is given back as it is.
 */
export function localPrototype(prototype: object): object {
  const type: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof type !== "function" || type.prototype !== prototype || !isNative(type)) return prototype;
  const local: unknown = Reflect.get(globalThis, type.name);
  return typeof local === "function" && isNative(local) && isObject(local.prototype) ? local.prototype : prototype;
}

const isNative = (type: unknown): boolean =>
  typeof type === "function" && Function.prototype.toString.call(type).endsWith("{ [native code] }");
