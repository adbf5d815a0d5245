import { encodeJson } from "./encode-json.js";

export interface ShortenOptions {
  /** The position around which the text is kept. @default the start */
  readonly around?: number | undefined;
  /** @default 800 */
  readonly length?: number | undefined;
}

/** A value as JSON for an error message, shortened if it is long. */
export function shorten(value: unknown, options?: ShortenOptions): string {
  return shortenText(describe(value), options);
}

/** A text for an error message, shortened if it is long. */
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
