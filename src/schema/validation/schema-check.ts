import { jsonSchemaValidator } from "../json-schema-validator.js";
import type { SchemaValidator } from "../schema-validator.js";
import {
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchemaV1,
} from "../standard-schema.js";

/** Gives the value as its schema has it, or what is wrong with it. Most schemas answer at once. */
export interface SchemaCheck {
  /** It knows values of JSON and no others. */
  readonly onlyJson: boolean;
  check(value: unknown, checker: Checker): Checked | Promise<Checked>;
}

/** Knows by what plain JSON Schemas are checked. */
export interface Checker {
  readonly validator: SchemaValidator | undefined;
}

export type Checked = StandardResult<unknown>;

/** A schema that can validate does it itself; for every other one a validator gets its plain form. */
export function schemaCheck(schema: object, plainForm: () => object): SchemaCheck {
  return canValidate(schema) ? new StandardCheck(schema) : new PlainCheck(plainForm);
}

export function canValidate(schema: unknown): schema is StandardSchemaV1 {
  if (!isStandardSchema(schema)) return false;
  const standard: object = schema["~standard"];
  return "validate" in standard && typeof standard.validate === "function";
}

class StandardCheck implements SchemaCheck {
  readonly onlyJson = false;
  readonly #standard: StandardSchemaV1["~standard"];

  constructor(schema: StandardSchemaV1) {
    this.#standard = schema["~standard"];
  }

  check(value: unknown): Checked | Promise<Checked> {
    return this.#standard.validate(value);
  }
}

type Compiled = (value: unknown) => readonly StandardIssue[] | undefined;

/** Compiled at its first use, by the validator of that run; kept for as long as the runs have the same one. */
class PlainCheck implements SchemaCheck {
  readonly onlyJson = true;
  readonly #schema: () => object;
  #compiled: Compiled | undefined = undefined;
  #compiledBy: SchemaValidator | undefined = undefined;

  constructor(schema: () => object) {
    this.#schema = schema;
  }

  check(value: unknown, { validator = jsonSchemaValidator }: Checker): Checked | Promise<Checked> {
    if (this.#compiled !== undefined && this.#compiledBy === validator) return resultOf(this.#compiled, value);
    const compiled = validator.compile(this.#schema());
    if (!(compiled instanceof Promise)) return this.#use(compiled, validator, value);
    return compiled.then((ready) => this.#use(ready, validator, value));
  }

  #use(compiled: Compiled, validator: SchemaValidator, value: unknown): Checked {
    this.#compiled = compiled;
    this.#compiledBy = validator;
    return resultOf(compiled, value);
  }
}

function resultOf(compiled: Compiled, value: unknown): Checked {
  const issues = compiled(value);
  return issues === undefined ? { value } : { issues };
}
