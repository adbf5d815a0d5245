import type { JsonSchema } from "../standard-schema.js";
import type { Checked, Checker, SchemaCheck } from "./schema-check.js";

/** Checks a value that came as JSON. If its schema expects dates, tries again with dates in place of strings. */
export async function checkJson(
  check: SchemaCheck,
  value: unknown,
  formOf: () => JsonSchema | undefined,
  checker: Checker,
): Promise<Checked> {
  const checked = await check.check(value, checker);
  const form = checked.issues === undefined || check.onlyJson ? undefined : formOf();
  if (checked.issues === undefined || form === undefined) return checked;
  const { reviveDates } = await import("./revive-dates.js");
  const revived = reviveDates(value, form, checked.issues);
  return revived === undefined ? checked : check.check(revived, checker);
}
