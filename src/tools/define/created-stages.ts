import { clientFailureIn } from "../../components/client-failure.js";
import type { ApprovalRule, ToolContext, ToolOutput } from "../../components/tool.js";
import { isPromiseLike } from "../../is.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { type Checked, type SchemaCheck, whenChecked } from "../../schema/validation/schema-check.js";
import { approvalIn, approve, type PayloadRule } from "./approval.js";
import {
  argumentsDoNotFit,
  argumentsNotJson,
  argumentsNotObject,
  inputSchemaFailed,
  outputDoesNotFit,
  outputSchemaFailed,
  reportedError,
  type ToolError,
} from "./errors.js";
import { jsonErrorPosition } from "./json-error-position.js";
import type { MendingRule } from "./mend-arguments.js";
import { OutputSource } from "./output-source.js";
import { isToolStream } from "./producer.js";
import { checkRequest } from "./request-check.js";
import { type AnyToolHooks, tellOutput } from "./tool-hooks.js";
import { dataOutputOf, joinToolOutputs, toolOutputOf } from "./tool-output.js";
import type { OutputValidation } from "./tool-settings.js";
import type { StagedCall, StagedOutput, Suspension, ToolStages } from "./tool-stages.js";

/** How a tool's input is checked. */
export interface InputRule {
  readonly check: SchemaCheck;
  /** The JSON Schema that repairs are based on; `undefined` if the schema has none. */
  readonly jsonSchema: () => JsonSchema | undefined;
}

/** The checked options of `createTool`, with their types erased. */
export interface ToolDefinition {
  /** `undefined` for a client tool. */
  readonly execute: ((input: never, ctx: never) => unknown) | undefined;
  /** Used in place of `execute` when the node streams; returns a stream, or a promise of one. */
  readonly stream: ((input: never, ctx: never) => unknown) | undefined;
  readonly outputSchema: AnyStandardSchema | JsonSchema | undefined;
  readonly requireApproval: ApprovalRule | undefined;
  /** Schemas of the payload that answers to an approval carry. */
  readonly approvalPayload: PayloadRule | undefined;
  readonly suspension: Suspension | undefined;
  /** The JSON Schema of the arguments. */
  readonly parameters: () => JsonSchema;
  readonly input: InputRule | undefined;
  readonly output: OutputCheck | undefined;
  readonly concat: DeclaredConcat | undefined;
  readonly timeoutMs: number | undefined;
  readonly rawArguments: boolean;
  readonly requestContext: SchemaCheck | undefined;
  readonly hooks: AnyToolHooks | undefined;
  readonly toModelOutput: ((result: ModelOutputOptions<never, never>) => unknown) | undefined;
  /** Whether `execute` runs an agent. */
  readonly isAgent: boolean;
}

/** The argument of `toModelOutput`. */
export interface ModelOutputOptions<Input, Output> {
  /** The validated output of `execute`. */
  readonly output: Output;
  /** The validated input of the call. */
  readonly input: Input;
  /** The id of the call. */
  readonly toolCallId: string;
}

/** The stages of a tool that `createTool` makes. */
export class CreatedStages implements ToolStages {
  readonly timeoutMs: number | undefined;
  readonly invoke: ToolStages["invoke"];
  readonly stream: ToolStages["stream"];
  readonly approve: ToolStages["approve"];
  readonly approveAnswered: ToolStages["approve"];
  readonly suspension: Suspension | undefined;
  readonly checkRequest: ToolStages["checkRequest"];
  readonly hooks: AnyToolHooks | undefined;
  readonly isClientTool: boolean;
  readonly approval: ToolStages["approval"];
  readonly isAgent: boolean;
  readonly definition: ToolDefinition;

  constructor(definition: ToolDefinition) {
    this.definition = definition;
    this.timeoutMs = definition.timeoutMs;
    this.hooks = definition.hooks;
    const { requestContext } = definition;
    if (requestContext !== undefined) {
      this.checkRequest = (values, call) => checkRequest(values, requestContext, call);
    }
    this.suspension = definition.suspension;
    const { requireApproval, isAgent } = definition;
    this.isAgent = isAgent;
    this.approval = approvalIn(requireApproval);
    this.approveAnswered = this.approveBy(true);
    this.approve =
      requireApproval === undefined || requireApproval === false ? undefined : this.approveBy(requireApproval);
    const { execute } = definition;
    this.isClientTool = execute === undefined && definition.stream === undefined;
    const isStreaming = execute !== undefined && isGeneratorFunction(execute);
    const stream = definition.stream ?? (isStreaming ? execute : undefined);
    if (stream !== undefined) this.stream = (input, ctx, call) => this.streamFrom(stream, input, ctx, call);
    if (!isStreaming) this.invoke = (input, ctx) => this.execute(input, ctx);
  }

  readInput(text: string, call: StagedCall): unknown {
    return this.definition.rawArguments ? text : readInput(text, this.definition.input, call);
  }

  private approveBy(needed: ApprovalRule): ToolStages["approve"] {
    const readInput = (text: string, call: StagedCall) => this.readInput(text, call);
    const { parameters, approvalPayload: payload } = this.definition;
    const rule = { needed, parameters, readInput, payload };
    return (input, ctx, call) => approve(input, rule, ctx, call);
  }

  private streamFrom(
    stream: NonNullable<ToolDefinition["stream"]>,
    input: unknown,
    ctx: ToolContext,
    call: StagedCall,
  ): StreamReader<ToolOutput> {
    return this.reader(() => stream(input as never, ctx as never), input, call);
  }

  private execute(input: unknown, ctx: ToolContext): unknown {
    const { execute, outputSchema } = this.definition;
    return execute === undefined ? askClient(input, ctx, outputSchema) : execute(input as never, ctx as never);
  }

  /** Finishes a result. An ordinary function may return a stream too. */
  finish(value: unknown, input: unknown, call: StagedCall): StagedOutput {
    return isToolStream(value) ? this.reader(value, input, call) : this.finishWhole(value, input, call);
  }

  private reader(stream: object | (() => unknown), input: unknown, call: StagedCall): StreamReader<ToolOutput> {
    const { concat, output, outputSchema, toModelOutput } = this.definition;
    const checks = output !== undefined && outputValidationOf(output, call) !== "off";
    const check = checks ? (whole: unknown) => checkOutput(whole, output, call) : undefined;
    const rule = {
      concat,
      live: toModelOutput === undefined,
      hasParts: outputSchema === undefined,
      finish: (value: unknown) => this.finishWhole(value, input, call),
      check: this.hooks?.onOutput === undefined ? check : (whole: unknown) => this.tellChecked(whole, check, call),
    };
    return new StreamReader(new OutputSource(stream, rule, call), {
      rule: joinToolOutputs,
      where: `tool "${call.toolName}"`,
    });
  }

  private finishWhole(value: unknown, input: unknown, call: StagedCall): ToolOutput | Promise<ToolOutput> {
    const { output } = this.definition;
    if (output === undefined) return this.forModel(value, input, call);
    const checked = checkOutput(value, output, call);
    return checked instanceof Promise
      ? checked.then((ready) => this.forModel(ready, input, call))
      : this.forModel(checked, input, call);
  }

  /** Checks an output that was streamed, and calls the hook `onOutput`. */
  private async tellChecked(
    whole: unknown,
    check: ((whole: unknown) => unknown) | undefined,
    call: StagedCall,
  ): Promise<void> {
    this.tellOutput(check === undefined ? whole : await check(whole), call);
  }

  private tellOutput(output: unknown, call: StagedCall): void {
    if (!call.isLate) tellOutput(this.hooks, output, call);
  }

  /** Makes what the model reads, and calls the hook `onOutput` if that succeeds. */
  private forModel(output: unknown, input: unknown, call: StagedCall): ToolOutput | Promise<ToolOutput> {
    const shown = this.shownToModel(output, input, call);
    if (this.hooks?.onOutput === undefined) return shown;
    if (!(shown instanceof Promise)) {
      this.tellOutput(output, call);
      return shown;
    }
    return shown.then((ready) => {
      this.tellOutput(output, call);
      return ready;
    });
  }

  private shownToModel(output: unknown, input: unknown, call: StagedCall): ToolOutput | Promise<ToolOutput> {
    const { toModelOutput, outputSchema } = this.definition;
    // output with a schema is always data, even if it looks like content parts
    if (toModelOutput === undefined) {
      return outputSchema === undefined ? toolOutputOf(output, call) : dataOutputOf(output, call);
    }
    const shown = toModelOutput({ output: output as never, input: input as never, toolCallId: call.callId });
    return isPromiseLike(shown)
      ? Promise.resolve(shown.then((ready) => toolOutputOf(ready, call)))
      : toolOutputOf(shown, call);
  }
}

/** Recognized before the first call, because it decides which middlewares wrap the tool. */
function isGeneratorFunction(execute: object): boolean {
  return /^\[object (?:Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(execute));
}

/** Parses and validates arguments for `execute`. Fails with a `ToolError` of kind `parse` or `validation`. */
function readInput(text: string, rule: InputRule | undefined, call: StagedCall): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (text.trim() !== "")
      return unreadable(text, rule, call, argumentsNotJson(call, text, jsonErrorPosition(text), cause));
    value = {};
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return unreadable(text, rule, call, argumentsNotObject(call, value));
  }
  if (rule === undefined) return value;
  const object = value;
  return whenChecked(checkOnce(object, rule, call), (checked) => {
    if (checked.issues === undefined) return checked.value;
    if (!call.coerceArguments && !mayHaveDates(rule)) throw argumentsDoNotFit(call, object, checked.issues);
    const parsed = { text, value: object, checked, repairs: [] };
    return import("./mend-arguments.js").then(({ readUnfit }) => readUnfit(parsed, withCheck(rule, call), call));
  });
}

/** Arguments that are no JSON object. */
function unreadable(text: string, rule: InputRule | undefined, call: StagedCall, error: Error): Promise<unknown> {
  if (!call.coerceArguments) throw error;
  return import("./mend-arguments.js").then(({ readText }) =>
    readText(text, rule && withCheck(rule, call), call, error),
  );
}

/** Whether a schema that wants `Date` objects may be among the reasons why a value does not fit: a model can only write strings. */
function mayHaveDates({ check, jsonSchema }: InputRule): boolean {
  return !check.onlyJson && JSON.stringify(jsonSchema() ?? {}).includes('"date-time"');
}

function withCheck(rule: InputRule, call: StagedCall): MendingRule {
  const { jsonSchema, check } = rule;
  return { jsonSchema, onlyJson: check.onlyJson, check: (value) => checkOnce(value, rule, call) };
}

function checkOnce(value: object, { check }: InputRule, call: StagedCall): Checked | Promise<Checked> {
  let checked: Checked | Promise<Checked>;
  try {
    checked = check.check(value, call);
  } catch (cause) {
    throw inputSchemaFailed(call, cause);
  }
  if (!(checked instanceof Promise)) return checked;
  return checked.catch((cause) => {
    throw inputSchemaFailed(call, cause);
  });
}

/** How a tool's output is checked. */
interface OutputCheck {
  readonly schema: SchemaCheck;
  /** Whether it is a plain JSON Schema, which is checked only if `outputValidation` is set. */
  readonly plain: boolean;
  /** The tool's own setting, which comes before that of the node. */
  readonly validation: OutputValidation | undefined;
}

function outputValidationOf(rule: OutputCheck, call: StagedCall): OutputValidation {
  return rule.validation ?? call.outputValidation ?? (rule.plain ? "off" : "error");
}

/** Returns the validated output, or a promise of it. If it does not fit: throws a `ToolError`, or warns and returns it. */
function checkOutput(output: unknown, rule: OutputCheck, call: StagedCall): unknown {
  if (outputValidationOf(rule, call) === "off") return output;
  let checked: Checked | Promise<Checked>;
  try {
    checked = rule.schema.check(output, call);
  } catch (cause) {
    return refuse(outputSchemaFailed(call, output, cause), output, rule, call);
  }
  if (!(checked instanceof Promise)) return accept(checked, output, rule, call);
  return checked.then(
    (result) => accept(result, output, rule, call),
    (cause) => refuse(outputSchemaFailed(call, output, cause), output, rule, call),
  );
}

function accept(checked: Checked, output: unknown, rule: OutputCheck, call: StagedCall): unknown {
  if (checked.issues === undefined) return checked.value;
  return refuse(outputDoesNotFit(call, output, checked.issues), output, rule, call);
}

function refuse(problem: ToolError, output: unknown, rule: OutputCheck, call: StagedCall): unknown {
  if (outputValidationOf(rule, call) === "error") throw problem;
  call.warn(problem);
  return output;
}

/** Runs a client tool: stops the run with a question, which the client answers with the result. */
async function askClient(
  input: unknown,
  { toolName, toolCallId, ask }: ToolContext,
  outputSchema: AnyStandardSchema | JsonSchema | undefined,
): Promise<unknown> {
  const info = { kind: "client_tool", toolName, toolCallId, input };
  const asking =
    outputSchema === undefined ? ask("client_tool", info) : ask("client_tool", info, outputSchema as JsonSchema);
  const answer: unknown = await asking;
  const failure = clientFailureIn(info, answer);
  if (failure !== undefined) throw reportedError("execution", failure, { callId: toolCallId, toolName });
  return answer;
}
