import { isPromiseLike } from "../schema/promise-like.js";

export { isPromiseLike };

/** Whether what a function gave back is a stream: then the function is a streaming one. */
export function isStream(value: unknown): value is AsyncIterable<unknown> | ReadableStream<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || (typeof ReadableStream !== "undefined" && value instanceof ReadableStream))
  );
}

/** Goes on with a value, at once when it is there already. */
export function whenReady<R>(value: unknown, next: (ready: unknown) => R): R | PromiseLike<R> {
  return isPromiseLike(value) ? value.then(next as (ready: unknown) => R) : next(value);
}
