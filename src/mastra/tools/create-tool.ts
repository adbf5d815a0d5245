import type { RequestContext } from "../../components/request-context.js";
import type { ToolContext } from "../../components/tool.js";
import { isObject, isPlainObject } from "../../is.js";
import type { ToolParameters } from "../../schema/json-schema/tool-parameters.js";
import type { AnyStandardSchema, JsonSchema, SchemaInput, SchemaOutput } from "../../schema/standard-schema.js";
import {
  type CreatedTool,
  type CreateToolOptions,
  type ExecuteInput,
  type ExecuteResult,
  makeTool,
  type OnlyInputSchema,
} from "../../tools/define/create-tool.js";
import { hasToolStages } from "../../tools/define/tool-stages.js";
import type { AnyMastra } from "../any-mastra.js";
import { type Owner, type Registrable, register } from "../registered.js";
import { emptyMastra } from "../registry.js";
import type { Untyped } from "../untyped.js";
import type { StepWriter } from "../workflow/step.js";
import type { AnyMastraTool } from "./any-tool.js";
import { runDirectly } from "./run-directly.js";
import { type MastraToolContext, mastraToolContext } from "./tool-context.js";

/** @internal */
type AnySchema = AnyStandardSchema | JsonSchema;
/** @internal */
type SuspendedOf<Schema> = Schema extends AnyStandardSchema ? SchemaInput<Schema> : unknown;
/** @internal */
type ResumedOf<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : Untyped;

/** Options of {@link createTool}: those of `createTool` in `kumiko`, but `execute` has the two forms of Mastra. */
export interface MastraToolOptions<
  InputSchema extends ToolParameters | undefined,
  OutputSchema extends AnySchema | undefined,
  SuspendSchema extends AnySchema | undefined,
  ResumeSchema extends AnySchema | undefined,
> extends Omit<
    CreateToolOptions<InputSchema, OutputSchema, Record<never, never>, false, SuspendSchema, ResumeSchema>,
    "execute"
  > {
  /** Runs the tool, as `({ city }, ctx) => …` or as `({ context, runtimeContext, mastra }) => …`. */
  execute?(
    input: ToolInput<ExecuteInput<InputSchema>, ResumedOf<ResumeSchema>, SuspendedOf<SuspendSchema>>,
    ctx: MastraToolContext<unknown, SuspendedOf<SuspendSchema>, ResumedOf<ResumeSchema>>,
  ): ExecuteResult<OutputSchema>;
}

/** The property with the {@link MastraToolParts} of a tool. */
export const toolParts: unique symbol = Symbol.for("kumiko/mastra/tool-parts") as never;

/** The parts of a tool that agents and workflow steps use to run it. @internal */
export interface MastraToolParts {
  /** Returns the same tool with another `mastra` in its context. */
  bind(mastra: () => AnyMastra): object;
  /** Runs the tool with a Mastra context, without validating the input. */
  readonly run: ((input: unknown, ctx: MastraToolContext) => unknown) | undefined;
  readonly requireApproval: unknown;
  readonly resumeSchema: AnySchema | undefined;
  readonly suspendSchema: AnySchema | undefined;
}

/** A tool made with {@link createTool}. */
export interface MastraTool<InputSchema = unknown, OutputSchema = unknown>
  extends Omit<CreatedTool<InputSchema, OutputSchema, Record<never, never>, false>, "execute">,
    Registrable {
  readonly [toolParts]: MastraToolParts;
  /** Runs the tool directly. Returns `{ error: true, message, validationErrors }` for invalid input or output. */
  execute(input: unknown, ctx?: object): Promise<Untyped>;
}

export function isTool(value: unknown): value is AnyMastraTool {
  return isObject(value) && (hasToolStages(value) || toolOfMastra in value);
}

/** The brand of the tools of Mastra itself. */
const toolOfMastra = Symbol.for("mastra.core.tool.Tool");

export function isCreatedMastraTool(value: unknown): value is MastraTool {
  return isObject(value) && toolParts in value;
}

/**
 * Creates a tool like `createTool` of `kumiko`, whose `execute` supports both signatures of Mastra. The first argument is the
 * validated input; `context`, `runtimeContext`, `mastra`, `abortSignal`, `suspend`, `resumeData` and `writer` can be destructured
 * from it too.
 *
 * @example
 * import { createTool } from "kumiko/mastra";
 *
 * const getWeather = createTool({
 *   id: "get-weather",
 *   description: "Current weather of a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ context, runtimeContext }) => `${context.city}: 20 ${runtimeContext.get("unit")}`,
 * });
 */
export function createTool<
  InputSchema extends ToolParameters | undefined = undefined,
  OutputSchema extends AnySchema | undefined = undefined,
  SuspendSchema extends AnySchema | undefined = undefined,
  ResumeSchema extends AnySchema | undefined = undefined,
>(
  options: MastraToolOptions<InputSchema, OutputSchema, SuspendSchema, ResumeSchema> & OnlyInputSchema<InputSchema>,
): MastraTool<NoInfer<InputSchema>, NoInfer<OutputSchema>> {
  return boundTool(options as never, undefined) as never;
}

type AnyOptions = MastraToolOptions<ToolParameters, AnySchema, AnySchema, AnySchema>;
type Execute = (input: unknown, ctx: MastraToolContext) => unknown;

function boundTool(options: AnyOptions, mastra: (() => AnyMastra) | undefined): object {
  let owner: Owner | undefined;
  const mastraOf = (): AnyMastra => {
    if (mastra !== undefined) return mastra();
    owner ??= emptyMastra();
    return owner.mastra as AnyMastra;
  };
  const run = wrapExecute(options);
  const tool = makeTool({ ...options, ...(run !== undefined && { execute: nodeExecute(run, mastraOf) }) } as never);
  const parts: MastraToolParts = {
    bind: (other) => boundTool(options, other),
    run,
    requireApproval: options.requireApproval,
    resumeSchema: options.resumeSchema,
    suspendSchema: options.suspendSchema,
  };
  return Object.freeze({
    ...tool,
    execute: run === undefined ? tool.execute : runDirectly(tool, run, mastraOf),
    [toolParts]: parts,
    [register]: (given: Owner) => {
      owner = given;
    },
  });
}

/** Wraps `execute` so that its first argument has the parts of the call too. */
function wrapExecute(options: AnyOptions | undefined): Execute | undefined {
  const execute = options?.execute as Execute | undefined;
  if (typeof execute !== "function") return execute;
  const toolInput = (input: unknown, ctx: MastraToolContext) => withParts(input, ctx as never);
  if (!isGenerator(execute)) return (input, ctx) => execute(toolInput(input, ctx), ctx);
  return async function* (input, ctx) {
    return yield* execute(toolInput(input, ctx), ctx) as AsyncGenerator<unknown>;
  };
}

/** The `execute` that a tools node calls. It must be a generator function if the tool streams. */
function nodeExecute(run: Execute, mastra: () => AnyMastra): unknown {
  if (!isGenerator(run)) return (input: unknown, ctx: ToolContext) => run(input, mastraToolContext(ctx, mastra()));
  return async function* (input: unknown, ctx: ToolContext) {
    return yield* run(input, mastraToolContext(ctx, mastra())) as AsyncGenerator<unknown>;
  };
}

function isGenerator(execute: object): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

/** The parts of a call that `execute` can destructure from its first argument, in addition to the fields of the input. */
interface ToolParts<Input, Resumed = unknown, Suspended = unknown> {
  /** The input itself. */
  readonly context: Input;
  readonly runtimeContext: RequestContext<Record<string, Untyped>>;
  readonly requestContext: RequestContext<Record<string, Untyped>>;
  readonly mastra: AnyMastra;
  readonly abortSignal: AbortSignal;
  readonly suspend: (payload?: Suspended) => Promise<never>;
  readonly resumeData: Resumed | undefined;
  readonly writer: StepWriter;
}

/**
 * The first argument of `execute`: the input, with the parts of the call as properties that are not enumerable. Fields of the
 * input win; spread and JSON see only the input.
 *
 * @internal
 */
type ToolInput<Input, Resumed = unknown, Suspended = unknown> = Input extends object
  ? string extends keyof Input
    ? ToolParts<Input, Resumed, Suspended> & Readonly<Record<string, Untyped>>
    : Input & Omit<ToolParts<Input, Resumed, Suspended>, keyof Input>
  : Input;

const partNames = [
  ...["context", "runtimeContext", "requestContext", "mastra", "abortSignal", "suspend", "resumeData", "writer"],
] as const;

/** Copies the input, with the parts of the call as getters. Fields come last: the engine makes slow objects the other way round. */
function withParts(input: unknown, ctx: Partial<ToolParts<unknown>>): unknown {
  if (typeof input !== "object" || input === null) return input;
  const isPlain = isPlainObject(input);
  const copy: object = isPlain ? {} : Array.isArray(input) ? [] : Object.create(Object.getPrototypeOf(input));
  Object.defineProperty(copy, callParts, { value: { input, ctx }, enumerable: false });
  for (const [name, part] of parts) if (!Object.hasOwn(input, name)) Object.defineProperty(copy, name, part);
  // a field named __proto__ must be defined: an assignment would set the prototype
  return isPlain && !Object.hasOwn(input, "__proto__")
    ? Object.assign(copy, input)
    : Object.defineProperties(copy, Object.getOwnPropertyDescriptors(input));
}

const callParts: unique symbol = Symbol("parts of the call");

/** The same functions for all calls: objects with getters of their own outlive them in the engine. */
const parts = partNames.map((name) => [name, { get: readPart(name), enumerable: false, configurable: true }] as const);

function readPart(name: keyof ToolParts<unknown>) {
  return function (this: WithParts): unknown {
    const { input, ctx } = this[callParts];
    return name === "context" ? input : ctx[name];
  };
}

interface WithParts {
  readonly [callParts]: { readonly input: unknown; readonly ctx: Partial<ToolParts<unknown>> };
}
