import { KumikoError } from "kumiko";
import { isRetryableModelError } from "kumiko/models";
import { expect, it } from "vitest";

const failed = (more: object, name = "Error") => Object.assign(new Error("failed"), { name, ...more });
const inNode = (cause: unknown) => new KumikoError("NODE_FAILED", "Node failed.", { cause });

it.each<readonly [string, unknown]>([
  ["what says so itself", failed({ isRetryable: true })],
  ...[408, 409, 425, 429, 500, 503, 529].map((statusCode) => [`status ${statusCode}`, failed({ statusCode })] as const),
  ["status of another name", failed({ status: 503 })],
  ["a broken connection", Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })],
  ["a connection that broke off", new TypeError("terminated")],
  ["a code of the network", failed({ code: "ECONNRESET" })],
  ["a time limit", new DOMException("too long", "TimeoutError")],
  ["a stream that was cut off", new KumikoError("STREAM_CUT", "cut")],
  ["an empty stream", new KumikoError("EMPTY_STREAM", "empty")],
  ["a cause", inNode(inNode(failed({ statusCode: 429 })))],
  [
    "an error in mid-stream",
    new KumikoError("MODEL_FAILED", "x", { cause: { type: "error", error: { type: "overloaded_error" } } }),
  ],
  ["a status of Google", new KumikoError("MODEL_FAILED", "x", { cause: { code: 503, status: "UNAVAILABLE" } })],
])("retries after %s", (_, error) => {
  expect(isRetryableModelError(error)).toBe(true);
  expect(isRetryableModelError(inNode(error))).toBe(true);
});

it.each<readonly [string, unknown]>([
  ["other status", failed({ statusCode: 400, isRetryable: false })],
  ["a missing key", failed({ statusCode: 401 })],
  ["an abort", new DOMException("stopped", "AbortError")],
  [
    "an abort around a time limit",
    Object.assign(new DOMException("stopped", "AbortError"), { cause: failed({ statusCode: 503 }) }),
  ],
  ["a mistake in code", new TypeError("x is not a function")],
  ["a wrong option", new KumikoError("INVALID_OPTION", "wrong")],
  ["a question", new KumikoError("INTERRUPTED", "asks")],
  ["nothing", undefined],
  ["a text", "429"],
])("does not retry after %s", (_, error) => {
  expect(isRetryableModelError(error)).toBe(false);
});

it("ends with causes that go round in a circle", () => {
  const error: Error & { cause?: unknown } = failed({});
  error.cause = inNode(error);
  expect(isRetryableModelError(error)).toBe(false);
});
