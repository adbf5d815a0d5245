/** Whether something must be awaited. Anything with a `then` is, like `await` does (query builders are). */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}
