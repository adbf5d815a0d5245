import type { RequestContext } from "../../components/request-context.js";
import type { NeedsApproval, Tool, ToolContext, ToolOutput } from "../../components/tool.js";
import type { ToolOptions } from "../../components/tool-options.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import {
  type AnyStandardSchema,
  isStandardSchema,
  type JsonSchema,
  type SchemaInput,
  type SchemaOutput,
} from "../../schema/standard-schema.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { type ProviderTool, type ToolInfo, toolInfo } from "../../schema/tool-info.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import { eitherApproval, type PayloadRule } from "./approval.js";
import { CreatedStages, type ModelOutputOptions, type ToolDefinition } from "./created-stages.js";
import { invalidToolField, unknownToolOption } from "./errors.js";
import { runAlone, streamAlone } from "./lone-call.js";
import { hookNames, hooksOf, type ToolHooks } from "./tool-hooks.js";
import { checkOutputValidation, checkTimeout, type OutputValidation } from "./tool-settings.js";
import { type HasToolStages, toolStages } from "./tool-stages.js";

/** What `execute` gets: what the `inputSchema` gives back; for a plain JSON Schema, and without one, any object. */
export type ExecuteInput<Schema, Raw = false> = Raw extends true
  ? string
  : Schema extends AnyStandardSchema
    ? SchemaOutput<Schema>
    : Record<string, unknown>;

/** What `execute` gives back: what the `outputSchema` accepts, now, later, or in chunks that join to it. */
export type ExecuteResult<Schema> = Schema extends AnyStandardSchema
  ? SchemaInput<Schema> | Promise<SchemaInput<Schema>> | AsyncIterable<unknown> | ReadableStream<unknown>
  : unknown;

/** What `execute` gets beside its input: with a `requestContextSchema`, values of the request with their types. */
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

type AnySchema = AnyStandardSchema | JsonSchema;

/**
 * What {@link createTool} takes. Only `id` and `description` are required; `input` and `output` of `execute` get their types
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
  /** The name by which the model calls it. */
  readonly id: string;
  /** What the model reads to decide when to call it. */
  readonly description: string;
  /** Arguments that do not fit never reach `execute`. Without it, any JSON object does. */
  readonly inputSchema?: InputSchema | undefined;
  /** Checked before the model sees the output. A plain JSON Schema is checked only with `outputValidation`. */
  readonly outputSchema?: OutputSchema | undefined;
  /**
   * Does the work. An async generator function makes a tool that streams: what it yields are chunks of the result, and
   * what it returns counts only when it has yielded nothing. Without it this is a client tool: a call stops the run with an
   * interrupt of kind `client_tool`, somebody outside does the work, and the answer is its result.
   */
  execute?(
    input: ExecuteInput<InputSchema, Raw>,
    ctx: ExecuteContext<Options, ContextSchema, PayloadOf<SuspendSchema>, AnswerOf<ResumeSchema>>,
  ): ExecuteResult<OutputSchema>;
  /**
   * Whether somebody must agree before a call runs: always, or where a function of the validated input says so. The run
   * stops with an interrupt of kind `tool_approval`, answered by `{ approved, arguments?, reason? }`. @default false
   */
  readonly requireApproval?: NeedsApproval<ExecuteInput<InputSchema, Raw>> | undefined;
  /** Another name of `requireApproval`. */
  readonly needsApproval?: NeedsApproval<ExecuteInput<InputSchema, Raw>> | undefined;
  /** What `ctx.suspend` is given must fit it. */
  readonly suspendSchema?: SuspendSchema | undefined;
  /** What a suspended call is resumed with must fit it; `ctx.resumeData` is what it gives back. */
  readonly resumeSchema?: ResumeSchema | undefined;
  /**
   * What all values of the request together must be, as one record, for `execute` to run; the model reads why it did not,
   * also with `onToolError: "throw"`. It only checks: `ctx.requestContext` stays the one of the run, without defaults and
   * transforms.
   */
  readonly requestContextSchema?: ContextSchema | undefined;
  /** What `ctx.options` holds: declared with `toolOptions`, set per run. */
  readonly options?: ToolOptions<Options> | undefined;
  /** How chunks join that are neither texts nor lists of content parts. */
  readonly concat?: DeclaredConcat | undefined;
  /** How long a call may take, in milliseconds; it fails then even if `execute` ignores its signal. @default what the node says */
  readonly timeoutMs?: number | undefined;
  /**
   * What happens when the output does not fit `outputSchema`.
   * @default what the node says, else "error" for Standard Schemas and "off" for plain JSON Schemas
   */
  readonly outputValidation?: OutputValidation | undefined;
  /** `execute` gets the text of the arguments as it is, neither parsed nor validated. @default false */
  readonly rawArguments?: Raw | undefined;
  /** What the model reads in place of the output: a text, a list of content parts, or anything that becomes JSON. */
  toModelOutput?(result: ModelOutputOptions<ExecuteInput<InputSchema, Raw>, ModelOutput<OutputSchema>>): unknown;
  /** For your own use: carried on the tool, and never sent to a model. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** For a tool that a provider has trained its models for, and that runs here: its id and arguments there. */
  readonly provider?: ProviderTool | undefined;
  /** For models that know it, such as the options of a provider: `info.extra`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** For MCP servers: carried on the tool, and never sent to a model. */
  readonly mcp?: McpToolProperties | undefined;
}

type PayloadOf<Schema> = Schema extends AnyStandardSchema ? SchemaInput<Schema> : unknown;
type AnswerOf<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : unknown;

/** What a checked output is. */
type ModelOutput<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : unknown;

/** What an MCP client may want to know about a tool, passed through as it is. */
export interface McpToolProperties {
  /** Hints for whoever approves calls: they are the server's word, and nothing here relies on them. */
  readonly annotations?:
    | {
        readonly title?: string | undefined;
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
        readonly idempotentHint?: boolean | undefined;
        readonly openWorldHint?: boolean | undefined;
      }
    | undefined;
  /** Whatever a server and its clients agree on. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool made with {@link createTool}: its parts, and the contract of every tool, in both of its forms. */
export interface CreatedTool<
  InputSchema = unknown,
  OutputSchema = unknown,
  Options extends object = object,
  Raw extends boolean = boolean,
  ContextSchema = undefined,
> extends Tool<Options>,
    HasToolStages {
  readonly id: string;
  readonly description: string;
  /** The schemas as they were given; `info.toJsonSchema()` is what a model reads. */
  readonly inputSchema: InputSchema;
  readonly outputSchema: OutputSchema;
  readonly requestContextSchema: ContextSchema;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly mcp: McpToolProperties | undefined;
  /** The function as it was given: nothing is parsed, validated or serialized. Of a client tool, it throws. */
  execute(
    input: ExecuteInput<InputSchema, Raw>,
    ctx: ExecuteContext<Options, ContextSchema>,
  ): ExecuteResult<OutputSchema>;
  /** From the text of the arguments to what the model reads, without a tools node. */
  invoke(args: string, ctx: ToolContext<Options>): Promise<ToolOutput>;
  /** The same, piece by piece; nothing happens before the first read. */
  stream(args: string, ctx: ToolContext<Options>): StreamReader<ToolOutput>;
}

/** What a tool is made of says its types, and never the place where it is put: a tools node takes tools of all types. */
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
  options: CreateToolOptions<InputSchema, OutputSchema, Options, Raw, SuspendSchema, ResumeSchema, ContextSchema>,
): MadeTool<InputSchema, OutputSchema, Options, Raw, ContextSchema> {
  return makeTool(options as never) as MadeTool<InputSchema, OutputSchema, Options, Raw, ContextSchema>;
}

/** The options and the type of any tool. */
type AnyOptions = CreateToolOptions<ToolParameters, AnySchema, object, boolean, AnySchema, AnySchema, AnySchema>;
type AnyCreatedTool = CreatedTool<unknown, unknown, object, boolean, unknown>;

/** With `stream`, the tool has two forms: `execute` gives a whole result, and `stream` gives one piece by piece. */
export function makeTool(
  options: AnyOptions,
  stream?: ToolDefinition["stream"],
  approvalPayload?: PayloadRule | undefined,
): AnyCreatedTool {
  checkOptions(options);
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
    // what somebody outside answers has been checked as their answer
    output: outputSchema &&
      execute && {
        schema: schemaCheck(outputSchema, () => toJsonSchema(outputSchema, { side: "output" }), "outputSchema"),
        plain: !isStandardSchema(outputSchema),
        validation: options.outputValidation,
      },
    needsApproval: eitherApproval(options.requireApproval, options.needsApproval),
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

/** One that has none is told where tools are given to a model; calls go on without. */
function jsonSchemaOf(info: ToolInfo): JsonSchema | undefined {
  try {
    return info.toJsonSchema();
  } catch {
    return undefined;
  }
}

/** For those who call `execute` of a client tool by hand. */
function withoutExecute(id: string): () => never {
  return () => {
    throw invalidToolField(id, "it has no execute, because its calls are executed outside. Call it in a tools node.");
  };
}

const optionNames: readonly string[] = [
  ...["id", "description", "inputSchema", "outputSchema", "execute", "options", "concat", "timeoutMs"],
  ...["outputValidation", "rawArguments", "toModelOutput", "metadata", "mcp", "extra", "provider"],
  ...["requireApproval", "needsApproval", "suspendSchema", "resumeSchema"],
  ...["requestContextSchema", ...hookNames],
];

/** For plain JavaScript, and for what types cannot say. */
function checkOptions(options: object): void {
  if (typeof options !== "object" || options === null)
    throw invalidToolField(undefined, "expected an object of options.");
  const { id, description, execute, timeoutMs, outputValidation } = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) throw unknownToolOption(id, unknown, optionNames);
  if (typeof id !== "string" || id === "") throw invalidToolField(id, "id must be a non-empty string.");
  if (typeof description !== "string") throw invalidToolField(id, "description must be a string: the model reads it.");
  if (execute !== undefined && typeof execute !== "function") {
    throw invalidToolField(id, "execute must be a function; without one, the call is executed outside of the node.");
  }
  for (const name of ["requireApproval", "needsApproval"] as const) checkApproval(id, name, options);
  for (const name of hookNames) {
    const hook: unknown = Reflect.get(options, name);
    if (hook !== undefined && typeof hook !== "function") throw invalidToolField(id, `${name} must be a function.`);
  }
  checkTimeout(`tool "${id}"`, timeoutMs);
  checkOutputValidation(`tool "${id}"`, outputValidation);
}

function checkApproval(id: unknown, name: string, options: object): void {
  const given: unknown = Reflect.get(options, name);
  if (given === undefined || typeof given === "boolean" || typeof given === "function") return;
  throw invalidToolField(id, `${name} must be true, false or a function of the input.`);
}
