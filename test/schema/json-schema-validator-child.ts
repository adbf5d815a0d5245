// Checks a value with each draft, from a bundle. json-schema-validator.test.ts starts it.
import { JsonSchemaValidator } from "../../src/schema/json-schema-validator.js";

const validator = new JsonSchemaValidator();
const issues = async ($schema: string) => {
  const check = await validator.compile({ $schema, type: "string", format: "email" });
  return check("nobody")?.map(({ message }) => message);
};
const drafts = ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"];
console.log(JSON.stringify(await Promise.all(drafts.map(issues))));
