import type { JsonSchema, StandardIssue } from "../standard-schema.js";
import { copyToMend, visitFaults } from "./fault-places.js";
import type { Checked, Checker, SchemaCheck } from "./schema-check.js";
import { whatItMayBe } from "./schema-places.js";

/** Checks a value that came as JSON. Where its schema wants dates, texts are read as such in a second attempt. */
export async function checkJson(
  check: SchemaCheck,
  value: unknown,
  formOf: () => JsonSchema | undefined,
  checker: Checker,
): Promise<Checked> {
  const checked = await check.check(value, checker);
  const form = checked.issues === undefined || check.onlyJson ? undefined : formOf();
  const revived = form && checked.issues && reviveDates(value, form, checked.issues);
  return revived === undefined ? checked : check.check(revived, checker);
}

/**
 * A copy in which texts became dates, where an issue points at them and the JSON form of the schema has a date and a time as
 * a text: JSON has nothing else for a schema that wants a `Date`. `undefined` when there is no such text.
 */
export function reviveDates(value: unknown, schema: JsonSchema, issues: readonly StandardIssue[]): object | undefined {
  if (typeof value === "string") return dateOf(value, whatItMayBe([schema], schema));
  if (typeof value !== "object" || value === null) return undefined;
  const revived = copyToMend(value);
  let count = 0;
  visitFaults(revived, schema, issues, ({ holder, key, schemas }) => {
    const date = dateOf(holder[key], schemas);
    if (date === undefined) return;
    holder[key] = date;
    count++;
  });
  return count === 0 ? undefined : revived;
}

/** A day, or a time that says in which zone: others would mean something else on each machine. */
const pattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

function dateOf(text: unknown, schemas: readonly JsonSchema[]): Date | undefined {
  if (typeof text !== "string" || !pattern.test(text)) return undefined;
  if (!schemas.some(({ format }) => format === "date-time")) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
