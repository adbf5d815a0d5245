import { KumikoError } from "../errors.js";
import { invalidTool } from "./errors.js";
import type { JsonSchemaTarget } from "./json-schema/convert.js";
import { parametersConverter, type ToolParameters } from "./json-schema/tool-parameters.js";
import type { JsonSchema } from "./standard-schema.js";
import { withoutUndefined } from "./without-undefined.js";

/** What a model needs to know about a tool. As JSON, its parameters are a JSON Schema. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** As they were given. Absent: the tool takes none. */
  readonly parameters?: ToolParameters | undefined;
  /** Anything else, for models that know it. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** The schema of the arguments, always of an object; `undefined` when the tool takes none. */
  readonly toJsonSchema: (options?: ToolInfoSchemaOptions) => JsonSchema | undefined;
}

export interface ToolInfoSchemaOptions {
  /** The dialect to write. A plain JSON Schema stays as it is. @default "draft-2020-12" */
  readonly target?: JsonSchemaTarget | undefined;
}

export interface ToolInfoFields {
  readonly name: string;
  /** @default "" */
  readonly description?: string | undefined;
  /** A Standard Schema, a plain JSON Schema or a map of parameters. Without it the tool takes none. */
  readonly parameters?: ToolParameters | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Describes a tool for a model. The JSON Schema of the parameters is made when it is first asked for, once per target;
 * parameters that have none are an error then.
 *
 * @example
 * const info = toolInfo({
 *   name: "get_weather",
 *   description: "Current weather of a city.",
 *   parameters: { city: { type: "string", description: "Its name", required: true } },
 * });
 * console.log(JSON.stringify(info));
 */
export function toolInfo(fields: ToolInfoFields): ToolInfo {
  const { name, description = "", parameters, extra } = fields;
  if (typeof name !== "string" || name === "") throw invalidTool("A tool needs a name that is not empty.");
  const info: ToolInfo & { toJSON: () => object } = {
    name,
    description,
    parameters,
    extra,
    toJsonSchema: parameters === undefined ? noSchema : lazySchema(name, parameters),
    toJSON(this: ToolInfo) {
      return { name: this.name, description: this.description, parameters: this.toJsonSchema(), extra: this.extra };
    },
  };
  return withoutUndefined(info);
}

const noSchema = (): undefined => undefined;

function lazySchema(name: string, parameters: ToolParameters): ToolInfo["toJsonSchema"] {
  const convert = namingTool(name, () => parametersConverter(parameters));
  const cache = new Map<JsonSchemaTarget, JsonSchema>();
  return ({ target = "draft-2020-12" } = {}) => {
    let schema = cache.get(target);
    if (schema === undefined) {
      schema = namingTool(name, () => convert(target));
      cache.set(target, schema);
    }
    return schema;
  };
}

function namingTool<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!KumikoError.is(cause)) throw cause;
    throw new KumikoError(cause.code, `Tool "${name}": ${cause.message}`, { cause });
  }
}
