import { isFields } from "../is.js";
import { shorten } from "../schema/shorten.js";
import { invalidModelOption, unknownModelOption } from "./errors.js";
import { modelOptionHint, modelOptionNames } from "./model-option-names.js";

/** Throws for unknown options. */
export function checkModelOptionNames(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalidModelOption(`The options of ${where} must be an object (got ${shorten(options)}).`);
  }
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownModelOption(where, other, known);
}

/** Throws for options that no model has; `without` are those that are set in another way. */
export function requireModelOptions(where: string, given: unknown, without: readonly string[]): void {
  if (!isFields(given)) throw invalidModelOption(`${where} must be an object (got ${shorten(given)}).`);
  const known = modelOptionNames.filter((name) => !without.includes(name));
  const other = Object.keys(given).find((name) => !known.some((one) => one === name) && given[name] !== undefined);
  if (other === undefined) return;
  throw invalidModelOption(
    `Unknown option "${other}" of ${where}.${modelOptionHint(other)} Options: ${known.join(", ")}. ` +
      "What only one provider has belongs in providerOptions.",
  );
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
