import { textIf } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { fieldsOf } from "./document.js";
import { brokenAnswer } from "./errors.js";
import { type OperationPlace, requestName } from "./operation-place.js";
import { SchemaWriter } from "./plain-schema.js";

/**
 * The schema of an operation's successful answers, if all of them are JSON and have one; otherwise `undefined`. A part that is missing
 * in the document costs the tool its output schema, with a warning in the console, but does not cost the tool.
 */
export function responseSchema(place: OperationPlace): JsonSchema | undefined {
  const { document, operation, references } = place;
  const answers = Object.entries(fieldsOf(operation.responses)).filter(([status]) => /^2(\d\d|XX)$/i.test(status));
  const isOldDialect = textIf(document.openapi)?.startsWith("3.0") ?? false;
  const writer = new SchemaWriter(references, isOldDialect, "answer");
  try {
    const schemas = answers.map(([, answer]) => {
      const content = Object.entries(fieldsOf(references.follow(answer).content));
      const [only, ...others] = content.map(([type, media]) => ({ type, schema: references.follow(media).schema }));
      const isJson = only !== undefined && others.length === 0 && /[/+]json\s*(;|$)/i.test(only.type);
      return isJson && only.schema !== undefined ? writer.write(only.schema) : undefined;
    });
    const [first] = schemas;
    if (first === undefined || schemas.includes(undefined)) return undefined;
    const whole = schemas.length === 1 && typeof first === "object" ? first : { anyOf: schemas };
    return writer.definitions === undefined ? whole : { ...whole, $defs: writer.definitions };
  } catch (error) {
    console.warn(brokenAnswer(requestName(place), error));
    return undefined;
  }
}
