import { KumikoError } from "../errors.js";
import { invalidTool } from "./errors.js";
import type { JsonSchemaTarget } from "./json-schema/convert.js";
import { parametersConverter, type ToolParameters } from "./json-schema/tool-parameters.js";
import type { JsonSchema } from "./standard-schema.js";
import { withoutUndefined } from "./without-undefined.js";

/** The description of a tool for a model. Its JSON form has the parameters as JSON Schema. */
export interface ToolInfo {
  /** The name by which the model calls the tool. */
  readonly name: string;
  /** The description that the model reads. */
  readonly description: string;
  /** The parameters as they were given; left out if the tool takes none. */
  readonly parameters?: ToolParameters | undefined;
  /** Set for a tool that is built into a provider: only models of that provider can use it. */
  readonly provider?: ProviderTool | undefined;
  /** Anything else that a model integration understands. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Returns the JSON Schema of the arguments, always an object schema; `undefined` if the tool takes none. */
  readonly toJsonSchema: (options?: ToolInfoSchemaOptions) => JsonSchema | undefined;
}

/** A tool that is built into a provider, such as the result of `openai.tools.webSearch({})`. */
export interface ProviderTool {
  /** The provider's id of the tool, such as `openai.web_search`. */
  readonly id: string;
  /** The provider's options for the tool. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Options of `toJsonSchema` of a {@link ToolInfo}. */
export interface ToolInfoSchemaOptions {
  /** The dialect to write. A plain JSON Schema stays as it is. @default "draft-2020-12" */
  readonly target?: JsonSchemaTarget | undefined;
}

/** The argument of {@link toolInfo}. */
export interface ToolInfoFields {
  /** The name by which the model calls the tool. */
  readonly name: string;
  /** The description that the model reads. @default "" */
  readonly description?: string | undefined;
  /** A Standard Schema, a plain JSON Schema or a map of parameters. Leave it out if the tool takes none. */
  readonly parameters?: ToolParameters | undefined;
  /**
   * For a tool that is built into a provider and runs there: its id and options, or the tool object of the AI SDK that has
   * them. (In AI SDK 6 the type of such a tool does not tell it from others.) Throws if it has no id.
   */
  readonly provider?: ProviderTool | { readonly inputSchema: unknown } | undefined;
  /** Data of your own or for a provider; models do not see it. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Describes a tool for a model. The JSON Schema of the parameters is made at first use, once per target; parameters that
 * cannot be converted throw then.
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

/** Copies only what a model needs: a provider's tool object also has functions and schemas. */
function providerToolOf(name: string, provider: object): ProviderTool {
  const { id, args = {} } = provider as Partial<ProviderTool>;
  if (typeof id !== "string" || typeof args !== "object" || args === null) {
    throw invalidTool(
      `The provider of tool "${name}" must have an id and args, such as { id: "openai.web_search", args: {} }.`,
    );
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
