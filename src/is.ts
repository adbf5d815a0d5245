/** An object whose fields are looked up by name. @internal */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is any object: also a list or an instance of a class, but no function. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value of JSON is an object. Asked of other values, class instances are objects too. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object of no class: `{}`, or one without a prototype. Also when it comes from another realm. */
export function isPlainObject(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is a record: an object that is not an array, function, stream, promise or class instance with methods. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  if (Symbol.asyncIterator in value || "then" in value) return false;
  return hasNoMethods(prototype as object);
}

/** A class without methods makes records too; so does `Object.prototype` of another realm. */
function hasNoMethods(prototype: object): boolean {
  const next: unknown = Object.getPrototypeOf(prototype);
  if (next === null) return true;
  return Object.getOwnPropertyNames(prototype).every((name) => name === "constructor") && hasNoMethods(next as object);
}

/** Whether something must be awaited. Anything with a `then` is, like `await` does (query builders are). */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}

/** Whether a value is a stream: an async iterable or a web stream, which is not iterable in every browser. */
export function isStream(value: unknown): value is AsyncIterable<unknown> | ReadableStream<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || (typeof ReadableStream !== "undefined" && value instanceof ReadableStream))
  );
}

/** Whether a value is an object with this method. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}

/** A string as it is, anything else as nothing: what others send is not always what their types say. */
export function textIf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A finite number as it is, anything else as nothing. */
export function numberIf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
