import { jsonSchemaValidator } from "../json-schema-validator.js";
import type { CompiledSchema, LooseSchema, SchemaValidator, UncheckedPart } from "../schema-validator.js";
import { isStandardSchema, type StandardResult, type StandardSchemaV1 } from "../standard-schema.js";

/** Validates values: returns the output of the schema, or issues. Most schemas are synchronous. */
export interface SchemaCheck {
  /** Whether it supports JSON values only. */
  readonly onlyJson: boolean;
  check(value: unknown, checker: Checker): Checked | Promise<Checked>;
}

/** How plain JSON Schemas are checked. */
export interface Checker {
  readonly validator: SchemaValidator | undefined;
  /** Called once for each part of a schema that cannot be checked. Without it, a schema with such a part is an error. */
  readonly unchecked?: ((part: UncheckedPart, schema: string) => void) | undefined;
}

export type Checked = StandardResult<unknown>;

/** Goes on with what a check returns, without a promise if there is none. */
export function whenChecked(checked: Checked | Promise<Checked>, next: (checked: Checked) => unknown): unknown {
  return checked instanceof Promise ? checked.then(next) : next(checked);
}

/**
 * Makes a check for a schema: by the schema itself if it can validate, otherwise by a validator with its plain JSON Schema. `name`
 * is used in reports, such as `inputSchema`.
 */
export function schemaCheck(schema: object, plainForm: () => object, name = "schema"): SchemaCheck {
  return canValidate(schema) ? new StandardCheck(schema) : new PlainCheck(plainForm, name);
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

/** Compiles the schema at first use, with the validator of the run. Compiles again if a later run has another validator. */
class PlainCheck implements SchemaCheck {
  readonly onlyJson = true;
  readonly #schema: () => object;
  readonly #name: string;
  #isReported = false;
  #compiled: CompiledSchema | undefined = undefined;
  #compiledBy: SchemaValidator | undefined = undefined;

  constructor(schema: () => object, name: string) {
    this.#schema = schema;
    this.#name = name;
  }

  check(value: unknown, checker: Checker): Checked | Promise<Checked> {
    const { validator = jsonSchemaValidator } = checker;
    if (this.#compiled !== undefined && this.#compiledBy === validator) return resultOf(this.#compiled, value);
    if (checker.unchecked !== undefined && validator.compileLoosely !== undefined) {
      return this.#checkLoosely(validator.compileLoosely(this.#schema()), validator, value, checker);
    }
    const compiled = validator.compile(this.#schema());
    if (!(compiled instanceof Promise)) return this.#use(compiled, validator, value);
    return compiled.then((ready) => this.#use(ready, validator, value));
  }

  async #checkLoosely(
    loose: LooseSchema | Promise<LooseSchema>,
    validator: SchemaValidator,
    value: unknown,
    checker: Checker,
  ): Promise<Checked> {
    const { check, unchecked } = await loose;
    if (!this.#isReported) for (const part of unchecked) checker.unchecked?.(part, this.#name);
    this.#isReported = true;
    return this.#use(check, validator, value);
  }

  #use(compiled: CompiledSchema, validator: SchemaValidator, value: unknown): Checked {
    this.#compiled = compiled;
    this.#compiledBy = validator;
    return resultOf(compiled, value);
  }
}

function resultOf(compiled: CompiledSchema, value: unknown): Checked {
  const issues = compiled(value);
  if (issues === undefined) return { value };
  // JSON Schema has integers of any size, but no bigints
  const withNumbers = numbersForBigInts(value);
  return withNumbers !== value && compiled(withNumbers) === undefined ? { value } : { issues };
}

/** Returns the value, or a copy with numbers in place of bigints. */
function numbersForBigInts(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) {
    const items = value.map(numbersForBigInts);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, numbersForBigInts(item)]);
  return entries.some(([key, item]) => item !== Reflect.get(value, key)) ? Object.fromEntries(entries) : value;
}
