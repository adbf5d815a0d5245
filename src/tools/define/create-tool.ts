import { checkOptions } from "../../check-options.js";
import type { RequestContext } from "../../components/request-context.js";
import type { ApprovalRule, Tool, ToolContext, ToolOutput } from "../../components/tool.js";
import type { ToolOptions } from "../../components/tool-options.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import { invalidTool } from "../../schema/errors.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { schemaProblem } from "../../schema/json-schema/schema-problem.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import { shorten } from "../../schema/shorten.js";
import {
  type AnyStandardSchema,
  isStandardSchema,
  type JsonSchema,
  type OnlySchema,
  type SchemaInput,
  type SchemaOutput,
} from "../../schema/standard-schema.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { type ProviderTool, type ToolInfo, toolInfo } from "../../schema/tool-info.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import type { PayloadRule } from "./approval.js";
import { CreatedStages, type ModelOutputOptions, type ToolDefinition } from "./created-stages.js";
import { invalidToolField } from "./errors.js";
import { runAlone, streamAlone } from "./lone-call.js";
import { hookNames, hooksOf, type ToolHooks } from "./tool-hooks.js";
import { checkOutputValidation, checkTimeout, type OutputValidation } from "./tool-settings.js";
import { type HasToolStages, toolStages } from "./tool-stages.js";

/** The input of `execute`: the output type of the `inputSchema`; for a plain JSON Schema, or without a schema, any object. */
export type ExecuteInput<Schema, Raw = false> = Raw extends true
  ? string
  : Schema extends AnyStandardSchema
    ? SchemaOutput<Schema>
    : Record<string, unknown>;

/** The return type of `execute`: what the `outputSchema` accepts, directly, as a promise, or in chunks that join to it. */
export type ExecuteResult<Schema> = Schema extends AnyStandardSchema
  ? SchemaInput<Schema> | Promise<SchemaInput<Schema>> | AsyncIterable<unknown> | ReadableStream<unknown>
  : unknown;

/** The `ctx` of `execute`. With a `requestContextSchema`, the values of its request context are typed. */
export type ExecuteContext<
  Options,
  Schema = undefined,
  Payload = unknown,
  Answer = unknown,
> = Schema extends AnyStandardSchema
  ? Omit<ToolContext<Options, Payload, Answer>, "requestContext"> & {
      readonly requestContext: RequestContext<Extract<SchemaInput<Schema>, object>>;
    }
  : ToolContext<Options, Payload, Answer>;

/** @internal */
type AnySchema = AnyStandardSchema | JsonSchema;

/**
 * Options of {@link createTool}. Only `id` and `description` are required; `input` and `output` of `execute` get their types
 * from the schemas.
 */
export interface CreateToolOptions<
  InputSchema extends ToolParameters | undefined,
  OutputSchema extends AnySchema | undefined,
  Options extends object,
  Raw extends boolean,
  SuspendSchema extends AnySchema | undefined = undefined,
  ResumeSchema extends AnySchema | undefined = undefined,
  ContextSchema extends AnySchema | undefined = undefined,
> extends ToolHooks<ExecuteInput<InputSchema, Raw>, ModelOutput<OutputSchema>> {
  /** The name by which the model calls the tool. */
  readonly id: string;
  /** The description by which the model decides when to call it. */
  readonly description: string;
  /** Arguments that do not fit never reach `execute`. Without it, any JSON object does. */
  readonly inputSchema?: InputSchema | undefined;
  /** Checked before the model sees the output. A plain JSON Schema is checked only with `outputValidation`. */
  readonly outputSchema?: OutputSchema | undefined;
  /**
   * Does the work. With an async generator function the tool streams: the yielded values are chunks of the result, and the
   * returned value counts only if nothing was yielded. Without `execute` this is a client tool: a call stops the run with an
   * interrupt of kind `client_tool`, the client does the work, and its answer is the result.
   */
  execute?(
    input: ExecuteInput<InputSchema, Raw>,
    ctx: ExecuteContext<Options, ContextSchema, PayloadOf<SuspendSchema>, AnswerOf<ResumeSchema>>,
  ): ExecuteResult<OutputSchema>;
  /**
   * Whether a call needs approval before it runs: `true`, `false`, or a function of the validated input. The run stops with an
   * interrupt of kind `tool_approval`, answered with `{ approved, arguments?, reason? }`. @default false
   */
  readonly requireApproval?: ApprovalRule<ExecuteInput<InputSchema, Raw>> | undefined;
  /** The payload given to `ctx.suspend` must fit it. */
  readonly suspendSchema?: SuspendSchema | undefined;
  /** The answer that resumes a suspended call must fit it; the validated answer is `ctx.resumeData`. */
  readonly resumeSchema?: ResumeSchema | undefined;
  /**
   * Checks the values of the request context, as one record, before `execute` runs. If they do not fit, the call does not run and
   * the model reads why, also with `onToolError: "throw"`. `ctx.requestContext` itself is not changed: defaults and transforms
   * of the schema do not apply.
   */
  readonly requestContextSchema?: ContextSchema | undefined;
  /** The options in `ctx.options`, which are declared with `toolOptions` and set per run. */
  readonly options?: ToolOptions<Options> | undefined;
  /** How yielded chunks are joined when they are neither strings nor arrays of content parts. */
  readonly concat?: DeclaredConcat | undefined;
  /** How long a call may take, in milliseconds; then it fails, even if `execute` ignores its signal. @default the setting of the node */
  readonly timeoutMs?: number | undefined;
  /**
   * The reaction to output that does not fit `outputSchema`.
   * @default the setting of the node, or else "error" for Standard Schemas and "off" for plain JSON Schemas
   */
  readonly outputValidation?: OutputValidation | undefined;
  /** Passes the text of the arguments to `execute` as it is, neither parsed nor validated. @default false */
  readonly rawArguments?: Raw | undefined;
  /** Returns what the model reads in place of the output: a string, an array of content parts, or anything that becomes JSON. */
  toModelOutput?(result: ModelOutputOptions<ExecuteInput<InputSchema, Raw>, ModelOutput<OutputSchema>>): unknown;
  /** For your own use: carried on the tool, and never sent to a model. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** For a tool that a provider's models are trained on but that runs here: the provider's id and arguments of the tool. */
  readonly provider?: ProviderTool | undefined;
  /** Passed to models as `info.extra`, such as options of a provider. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** For MCP servers: carried on the tool, and never sent to a model. */
  readonly mcp?: McpToolProperties | undefined;
}

/** @internal */
type PayloadOf<Schema> = Schema extends AnyStandardSchema ? SchemaInput<Schema> : unknown;
/** @internal */
type AnswerOf<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : unknown;

/** The type of a validated output. @internal */
type ModelOutput<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : unknown;

/** Properties of a tool for MCP clients, passed on unchanged. */
export interface McpToolProperties {
  /** Hints about the tool's behaviour. They are unverified claims of the server, and the library does not rely on them. */
  readonly annotations?:
    | {
        readonly title?: string | undefined;
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
        readonly idempotentHint?: boolean | undefined;
        readonly openWorldHint?: boolean | undefined;
      }
    | undefined;
  /** Metadata that a server and its clients agree on. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool made with {@link createTool}: its options, and the methods of every {@link Tool}. */
export interface CreatedTool<
  InputSchema = unknown,
  OutputSchema = unknown,
  Options extends object = object,
  Raw extends boolean = boolean,
  ContextSchema = undefined,
> extends Tool<Options>,
    HasToolStages {
  /** The tool's name. */
  readonly id: string;
  /** The description that the model reads. */
  readonly description: string;
  /** The schemas as they were given; `info.toJsonSchema()` is what a model reads. */
  readonly inputSchema: InputSchema;
  /** The schema of the output, if there is one. */
  readonly outputSchema: OutputSchema;
  /** The schema of the request context, if there is one. */
  readonly requestContextSchema: ContextSchema;
  /** Data of your own about the tool. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** How MCP describes the tool: title, annotations, `_meta`. */
  readonly mcp: McpToolProperties | undefined;
  /** The function as it was given: nothing is parsed, validated or serialized. Throws for a client tool. */
  execute(
    input: ExecuteInput<InputSchema, Raw>,
    ctx: ExecuteContext<Options, ContextSchema>,
  ): ExecuteResult<OutputSchema>;
  /** Runs the tool without a tools node, from the text of the arguments to what the model reads. */
  invoke(args: string, ctx: ToolContext<Options>): Promise<ToolOutput>;
  /** Like `invoke`, but streams the output; nothing happens before the first read. */
  stream(args: string, ctx: ToolContext<Options>): StreamReader<ToolOutput>;
}

/**
 * Refuses a record of schemas as `inputSchema`. Apart from the options, because it would keep TypeScript from inferring unions of
 * schemas; and only that option, because each one costs the compiler 20 types per tool. (All are checked when the tool is made.)
 *
 * @internal
 */
export interface OnlyInputSchema<Schema> {
  readonly inputSchema?: OnlySchema<Schema> | undefined;
}

/** The type of a tool is inferred from its options only, never from the place where it is used. @internal */
type MadeTool<InputSchema, OutputSchema, Options extends object, Raw extends boolean, ContextSchema> = CreatedTool<
  NoInfer<InputSchema>,
  NoInfer<OutputSchema>,
  NoInfer<Options>,
  NoInfer<Raw>,
  NoInfer<ContextSchema>
>;

/**
 * Makes a tool from a function. Arguments are parsed and validated before `execute` runs; strings that it returns stay as
 * they are, everything else becomes JSON. Schemas are Standard Schemas (zod 4, ArkType, Valibot) or plain JSON Schemas.
 * Throws `INVALID_TOOL` or `INVALID_OPTION` if an option is wrong or unknown.
 *
 * @example
 * const getWeather = createTool({
 *   id: "get_weather",
 *   description: "Current weather of a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   outputSchema: z.object({ celsius: z.number() }),
 *   execute: async ({ city }, { signal }) => readStation(city, { signal }),
 * });
 */
export function createTool<
  InputSchema extends ToolParameters | undefined = undefined,
  OutputSchema extends AnySchema | undefined = undefined,
  Options extends object = Record<never, never>,
  const Raw extends boolean = false,
  SuspendSchema extends AnySchema | undefined = undefined,
  ResumeSchema extends AnySchema | undefined = undefined,
  ContextSchema extends AnySchema | undefined = undefined,
>(
  options: CreateToolOptions<InputSchema, OutputSchema, Options, Raw, SuspendSchema, ResumeSchema, ContextSchema> &
    OnlyInputSchema<InputSchema>,
): MadeTool<InputSchema, OutputSchema, Options, Raw, ContextSchema> {
  return makeTool(options as never) as MadeTool<InputSchema, OutputSchema, Options, Raw, ContextSchema>;
}

/** The options and the type of a tool with its types erased. */
type AnyOptions = CreateToolOptions<ToolParameters, AnySchema, object, boolean, AnySchema, AnySchema, AnySchema>;
type AnyCreatedTool = CreatedTool<unknown, unknown, object, boolean, unknown>;

/** Makes a tool, optionally with a separate `stream` function for nodes that stream. */
export function makeTool(
  options: AnyOptions,
  stream?: ToolDefinition["stream"],
  approvalPayload?: PayloadRule | undefined,
  isAgent = false,
): AnyCreatedTool {
  checkToolOptions(options);
  const { id, description, inputSchema, outputSchema, suspendSchema, resumeSchema, requestContextSchema } = options;
  const { execute } = options;
  const info = toolInfo({
    name: id,
    description,
    parameters: inputSchema,
    provider: options.provider,
    extra: options.extra,
  });
  const stages = new CreatedStages({
    execute: execute as ToolDefinition["execute"],
    stream,
    outputSchema,
    input: inputSchema && {
      check: schemaCheck(inputSchema, () => info.toJsonSchema() ?? {}, "inputSchema"),
      jsonSchema: () => jsonSchemaOf(info),
    },
    // the result of a client tool is already checked as an answer
    output: outputSchema &&
      execute && {
        schema: schemaCheck(outputSchema, () => toJsonSchema(outputSchema, { side: "output" }), "outputSchema"),
        plain: !isStandardSchema(outputSchema),
        validation: options.outputValidation,
      },
    requireApproval: options.requireApproval,
    approvalPayload,
    parameters: () => jsonSchemaOf(info) ?? { type: "object" },
    suspension: {
      payload: suspendSchema && schemaCheck(suspendSchema, () => toJsonSchema(suspendSchema), "suspendSchema"),
      answer: resumeSchema && schemaCheck(resumeSchema, () => toJsonSchema(resumeSchema), "resumeSchema"),
      answerSchema: resumeSchema,
    },
    concat: options.concat,
    timeoutMs: options.timeoutMs,
    rawArguments: options.rawArguments ?? false,
    requestContext:
      requestContextSchema &&
      schemaCheck(requestContextSchema, () => toJsonSchema(requestContextSchema), "requestContextSchema"),
    hooks: hooksOf(options),
    toModelOutput: options.toModelOutput,
    isAgent,
  });
  const tool: AnyCreatedTool = {
    component: "tool",
    info,
    id,
    description,
    inputSchema,
    outputSchema,
    requestContextSchema,
    options: options.options,
    metadata: options.metadata,
    mcp: options.mcp,
    execute: (execute ?? withoutExecute(id)) as AnyCreatedTool["execute"],
    invoke: (args, ctx) => runAlone(tool, args, ctx),
    stream: (args, ctx) => streamAlone(tool, args, ctx),
    [toolStages]: stages,
  };
  return Object.freeze(tool);
}

/** `undefined` if the schema does not convert: calls work without it, and giving the tool to a model reports the error. */
function jsonSchemaOf(info: ToolInfo): JsonSchema | undefined {
  try {
    return info.toJsonSchema();
  } catch {
    return undefined;
  }
}

/** The `execute` of a client tool, for callers who call it directly. */
function withoutExecute(id: string): () => never {
  return () => {
    throw invalidToolField(
      id,
      "it has no execute function, because a client executes its calls. Use it in a tools node.",
    );
  };
}

const optionNames: readonly string[] = [
  ...["id", "description", "inputSchema", "outputSchema", "execute", "options", "concat", "timeoutMs"],
  ...["outputValidation", "rawArguments", "toModelOutput", "metadata", "mcp", "extra", "provider"],
  ...["requireApproval", "suspendSchema", "resumeSchema"],
  ...["requestContextSchema", ...hookNames],
];

/** Checks the options at run time, for plain JavaScript and for what types cannot express. */
function checkToolOptions(options: object): void {
  if (typeof options !== "object" || options === null)
    throw invalidToolField(undefined, "expected an object of options.");
  const { id, description, execute, timeoutMs, outputValidation } = options as Readonly<Record<string, unknown>>;
  checkOptions(`createTool (id ${shorten(id)})`, options, optionNames, { refuse: invalidTool });
  if (typeof id !== "string" || id === "") throw invalidToolField(id, "id must be a non-empty string.");
  if (typeof description !== "string") throw invalidToolField(id, "description must be a string: the model reads it.");
  if (execute !== undefined && typeof execute !== "function") {
    throw invalidToolField(id, "execute must be a function. Leave it out for a client tool.");
  }
  checkApproval(id, options);
  for (const name of hookNames) {
    const hook: unknown = Reflect.get(options, name);
    if (hook !== undefined && typeof hook !== "function") throw invalidToolField(id, `${name} must be a function.`);
  }
  for (const name of schemaNames) checkSchema(id, name, Reflect.get(options, name));
  checkTimeout(`tool "${id}"`, timeoutMs);
  checkOutputValidation(`tool "${id}"`, outputValidation);
}

/** The schemas beside that of the input, which is checked with the info of the tool. */
const schemaNames = ["outputSchema", "suspendSchema", "resumeSchema", "requestContextSchema"] as const;

function checkSchema(id: string, name: string, schema: unknown): void {
  const problem = schema === undefined ? undefined : schemaProblem(schema);
  if (problem !== undefined) throw invalidToolField(id, `${name} ${problem}`);
}

function checkApproval(id: unknown, options: object): void {
  const given: unknown = Reflect.get(options, "requireApproval");
  if (given === undefined || typeof given === "boolean" || typeof given === "function") return;
  throw invalidToolField(id, "requireApproval must be true, false or a function of the input.");
}
