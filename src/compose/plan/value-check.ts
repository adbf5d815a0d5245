import type { StandardIssue, StandardResult } from "../../schema/standard-schema.js";
import { invalidOption, schemaMismatch } from "../errors.js";
import type { ValueCheck } from "./plan.js";

/** A schema that can validate. */
interface Validating {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;
  };
}

/** Makes a check from a schema, which may be async. It returns the output of the schema. */
export function valueCheck(what: string, schema: unknown): ValueCheck | undefined {
  if (schema === undefined) return undefined;
  if (!validates(schema)) {
    throw invalidOption(`${what} needs a schema that validates: a Standard Schema of zod, Valibot, ArkType ….`);
  }
  const check = (value: unknown): unknown => {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then((settled) => unwrap(what, settled)) : unwrap(what, result);
  };
  return Object.assign(check, { schema });
}

function validates(schema: unknown): schema is Validating {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = Reflect.get(schema, "~standard");
  return (
    typeof standard === "object" &&
    standard !== null &&
    "validate" in standard &&
    typeof standard.validate === "function"
  );
}

function unwrap(what: string, result: StandardResult<unknown>): unknown {
  if (result.issues === undefined) return result.value;
  throw schemaMismatch(what, result.issues.map(describeIssue));
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const steps = path.map((step) => (typeof step === "object" ? step.key : step));
  return steps.length === 0 ? message : `at "${steps.map(String).join(".")}": ${message}`;
}
