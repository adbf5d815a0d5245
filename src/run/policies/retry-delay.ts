import type { Clock } from "../../components/clock.js";
import { isFields, numberIf } from "../../is.js";
import { causesOf } from "./causes-of.js";

/** How long to wait before each further attempt. */
export interface Delays {
  readonly delayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  readonly jitter: boolean;
}

/**
 * How long to wait before the next attempt: at least as long as the service asks for. `undefined` if that exceeds
 * `maxDelayMs`: then there is no further attempt.
 */
export function delayAfter(
  error: unknown,
  attempt: number,
  { delayMs, factor, maxDelayMs, jitter }: Delays,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): number | undefined {
  const whole = Math.min(maxDelayMs, delayMs * factor ** (attempt - 1));
  const own = jitter ? whole * (0.5 + random() / 2) : whole;
  const asked = retryAfterOf(error, clock.now());
  if (asked === undefined) return own;
  return asked > maxDelayMs ? undefined : Math.max(own, asked);
}

/** How long a service asks to wait: `retry-after-ms`, `retry-after` (seconds or a date), or Google's RetryInfo. */
export function retryAfterOf(error: unknown, now: number): number | undefined {
  for (const cause of causesOf(error)) {
    const found = isFields(cause)
      ? (numberIf(cause.retryAfterMs) ?? headersDelay(cause, now) ?? responseDelay(cause, now) ?? retryInfo(cause))
      : undefined;
    if (found !== undefined) return Math.max(0, found);
  }
  return undefined;
}

/** Some clients keep the response beside the error. */
function responseDelay({ response }: { readonly [name: string]: unknown }, now: number): number | undefined {
  return isFields(response) ? headersDelay(response, now) : undefined;
}

function headersDelay(
  { responseHeaders, headers }: { readonly [name: string]: unknown },
  now: number,
): number | undefined {
  const milliseconds = headerOf(responseHeaders, "retry-after-ms") ?? headerOf(headers, "retry-after-ms");
  if (milliseconds !== undefined && milliseconds.trim() !== "" && Number.isFinite(Number(milliseconds)))
    return Number(milliseconds);
  const after = headerOf(responseHeaders, "retry-after") ?? headerOf(headers, "retry-after");
  if (after === undefined || after.trim() === "") return undefined;
  if (Number.isFinite(Number(after))) return Number(after) * 1_000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Reads a header from a `Headers` object, or from a record with names in any case. */
function headerOf(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  if (!isFields(headers)) return undefined;
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && (typeof value === "string" || typeof value === "number")) return String(value);
  }
  return undefined;
}

/** `{ "@type": "…/google.rpc.RetryInfo", retryDelay: "34.4s" }` among the details of an error. */
function retryInfo({ data, responseBody }: { readonly [name: string]: unknown }): number | undefined {
  for (const body of [data, parsed(responseBody)]) {
    // a streaming response carries its error in a list
    const sent: unknown = Array.isArray(body) ? body[0] : body;
    const error = isFields(sent) ? sent.error : undefined;
    const details = isFields(error) && Array.isArray(error.details) ? error.details : [];
    for (const detail of details) {
      const delay: unknown = isFields(detail) ? detail.retryDelay : undefined;
      const seconds = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
      if (seconds !== undefined) return Number(seconds) * 1_000;
    }
  }
  return undefined;
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string" || !text.includes("RetryInfo")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
