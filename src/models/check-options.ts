import { checkOptions } from "../check-options.js";
import { isFields } from "../is.js";
import { shorten } from "../schema/shorten.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { invalidModelOption } from "./errors.js";
import { modelOptionHint, modelOptionNames } from "./model-option-names.js";

/** Throws for options that no model has; `without` are those that are set in another way. */
export function requireModelOptions(where: string, given: unknown, without: readonly string[]): void {
  const known = modelOptionNames.filter((name) => !without.includes(name));
  checkOptions(where, isFields(given) ? withoutUndefined({ ...given }) : given, known, {
    hint: modelOptionHint,
    refuse: (text) => invalidModelOption(`${text} What only one provider has belongs in providerOptions.`),
  });
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
