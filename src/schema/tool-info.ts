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
  /** A tool that the provider of the model knows: only models of that provider can be told of it. */
  readonly provider?: ProviderTool | undefined;
  /** Anything else, for models that know it. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** The schema of the arguments, always of an object; `undefined` when the tool takes none. */
  readonly toJsonSchema: (options?: ToolInfoSchemaOptions) => JsonSchema | undefined;
}

/** How a provider knows a tool of its own: what `openai.tools.webSearch({})` gives fits. */
export interface ProviderTool {
  /** `openai.web_search` */
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
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
  /** For a tool that the provider knows and runs itself: its id and arguments there. */
  readonly provider?: ProviderTool | undefined;
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
  const { name, description = "", parameters, provider, extra } = fields;
  if (typeof name !== "string" || name === "") throw invalidTool("A tool needs a non-empty name.");
  const info: ToolInfo & { toJSON: () => object } = {
    name,
    description,
    parameters,
    provider: provider === undefined ? undefined : providerToolOf(name, provider),
    extra,
    toJsonSchema: parameters === undefined ? noSchema : lazySchema(name, parameters),
    toJSON(this: ToolInfo) {
      const { name, description, provider, extra } = this;
      return withoutUndefined({ name, description, parameters: this.toJsonSchema(), provider, extra });
    },
  };
  return withoutUndefined(info);
}

/** Only what a model is told: a provider's tool has functions and schemas besides. */
function providerToolOf(name: string, { id, args = {} }: ProviderTool): ProviderTool {
  if (typeof id !== "string" || typeof args !== "object" || args === null) {
    throw invalidTool(`The provider of tool "${name}" needs an id and args: { id: "openai.web_search", args: {} }.`);
  }
  return { id, args };
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
