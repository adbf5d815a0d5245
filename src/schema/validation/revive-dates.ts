import type { JsonSchema, StandardIssue } from "../standard-schema.js";
import { copyForRepair, visitFaults } from "./fault-places.js";
import { expandSchemas } from "./schema-places.js";

/**
 * Returns a copy with dates in place of strings, where an issue points at a string and the JSON Schema there has the format
 * `date-time`, which is how a schema for a `Date` is converted. `undefined` if there is no such string.
 */
export function reviveDates(value: unknown, schema: JsonSchema, issues: readonly StandardIssue[]): object | undefined {
  if (typeof value === "string") return dateOf(value, expandSchemas([schema], schema));
  if (typeof value !== "object" || value === null) return undefined;
  const revived = copyForRepair(value);
  let count = 0;
  visitFaults(revived, schema, issues, ({ holder, key, schemas }) => {
    const date = dateOf(holder[key], schemas);
    if (date === undefined) return;
    holder[key] = date;
    count++;
  });
  return count === 0 ? undefined : revived;
}

/** A day, or a time with a time zone. Times without one would depend on the machine. */
const pattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

function dateOf(text: unknown, schemas: readonly JsonSchema[]): Date | undefined {
  if (typeof text !== "string" || !pattern.test(text)) return undefined;
  if (!schemas.some(({ format }) => format === "date-time")) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
