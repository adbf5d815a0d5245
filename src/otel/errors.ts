import { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import { causesOf } from "../run/policies/causes-of.js";
import { shorten } from "../schema/shorten.js";
import { ToolError } from "../tools/define/errors.js";

export const invalidOtelOption = (name: string, rule: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `${name} of otelTracer must be ${rule} (got ${shorten(given, { length: 80 })}).`);

/**
 * The value of `error.type`: the code of an error of this library, the kind of a tool error, or the name of any other error.
 * Looks inside errors that nodes and tools have wrapped. `_OTHER` for a name that does not look like one: it may quote content.
 */
export function errorType(error: unknown): string {
  const type = innerType(error);
  return /^[\w$.-]{1,100}$/.test(type) ? type : "_OTHER";
}

function innerType(error: unknown): string {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    const type = typeOf(current);
    if (type !== undefined) return type;
    seen.add(current);
  }
  return KumikoError.is(error) ? String(error.code) : "_OTHER";
}

function typeOf(error: Error): string | undefined {
  if (!KumikoError.is(error)) return String(error.name);
  if (ToolError.is(error)) return error.kind === "execution" ? undefined : error.kind;
  return error.code === "NODE_FAILED" ? undefined : error.code;
}

/** The status with which a service has refused a request, as its error or one of the causes says. */
export function httpStatus(error: unknown): number | undefined {
  for (const cause of causesOf(error)) {
    if (!isFields(cause)) continue;
    const status = [cause.statusCode, cause.status].find((value) => typeof value === "number");
    if (typeof status === "number" && status >= 100 && status <= 599) return status;
  }
  return undefined;
}
