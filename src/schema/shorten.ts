import { encodeJson } from "./encode-json.js";

export interface ShortenOptions {
  /** The position in the text around which to keep it. @default its beginning */
  readonly around?: number | undefined;
  /** @default 800 */
  readonly length?: number | undefined;
}

/** A value as an error message quotes it: as JSON, and never long. */
export function shorten(value: unknown, options?: ShortenOptions): string {
  return shortenText(describe(value), options);
}

/** A text as an error message quotes it: never long. */
export function shortenText(text: string, { around = 0, length = 800 }: ShortenOptions = {}): string {
  if (text.length <= length) return text;
  const start = Math.max(0, Math.min(Math.floor(around - length / 2), text.length - length));
  const end = start + length;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""} (${text.length} characters)`;
}

function describe(value: unknown): string {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") return String(value);
  try {
    return JSON.stringify(encodeJson(value)) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
