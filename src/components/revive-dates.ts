import type { JsonSchema, StandardIssue } from "../schema/standard-schema.js";
import { copyToMend, visitFaults } from "./fault-places.js";

/**
 * A copy in which texts became dates, where an issue points at them and a model was told to write a date and a time as a
 * text: JSON has nothing else for a schema that wants a `Date`. `undefined` when there is no such text.
 */
export function reviveDates(value: object, schema: JsonSchema, issues: readonly StandardIssue[]): object | undefined {
  const revived = copyToMend(value);
  if (revived === undefined) return undefined;
  let count = 0;
  visitFaults(revived, schema, issues, ({ holder, key, schemas }) => {
    const text = holder[key];
    if (typeof text !== "string" || !schemas.some(({ format }) => format === "date-time")) return;
    const date = dateOf(text);
    if (date === undefined) return;
    holder[key] = date;
    count++;
  });
  return count === 0 ? undefined : revived;
}

/** A day, or a time that says in which zone: others would mean something else on each machine. */
const pattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

function dateOf(text: string): Date | undefined {
  const date = new Date(pattern.test(text) ? text : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
