import { shorten } from "../schema/shorten.js";
import { invalidModelOption, unknownModelOption } from "./errors.js";

/** Throws for unknown options. */
export function checkModelOptionNames(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalidModelOption(`The options of ${where} must be an object (got ${shorten(options)}).`);
  }
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownModelOption(where, other, known);
}

export function requireNumber(where: string, options: Readonly<Record<string, unknown>>, least: number): void {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === "number" && value >= least) continue;
    throw invalidModelOption(`${name} of ${where} must be a number of at least ${least} (got ${shorten(value)}).`);
  }
}

export function requireWhole(where: string, name: string, value: number): void {
  if (Number.isInteger(value) || value === Number.POSITIVE_INFINITY) return;
  throw invalidModelOption(`${name} of ${where} must be a whole number (got ${String(value)}).`);
}

export function requireAfterContent(where: string, value: unknown): void {
  if (value === "throw" || value === "restart") return;
  throw invalidModelOption(`afterContent of ${where} must be "throw" or "restart" (got ${shorten(value)}).`);
}
