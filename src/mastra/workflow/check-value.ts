import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { jsonSchemaValidator } from "../../schema/json-schema-validator.js";
import { type SchemaCheck, schemaCheck } from "../../schema/validation/schema-check.js";
import { type CheckedValue, doesNotMatch } from "../errors.js";
import type { AnySchema } from "./any-schema.js";

const checks = new WeakMap<object, SchemaCheck>();

/** Returns the value as parsed by its schema. Throws an error that names workflow, step and field if it is invalid. */
export async function checkValue(
  schema: AnySchema | undefined,
  value: unknown,
  subject: CheckedValue,
  code?: "VALIDATION" | "ANSWER_MISMATCH",
): Promise<unknown> {
  if (schema === undefined) return value;
  let check = checks.get(schema);
  if (check === undefined) {
    check = schemaCheck(schema, () => toJsonSchema(schema), subject.what);
    checks.set(schema, check);
  }
  const checked = await check.check(value, { validator: jsonSchemaValidator });
  if (checked.issues !== undefined) throw doesNotMatch(subject, checked.issues, code);
  return checked.value;
}
