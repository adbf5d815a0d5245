import type { NodeContext } from "../components/context.js";
import { defaultRuntime } from "../compose/default-runtime.js";
import { InvalidOutputError } from "../models/invalid-output-error.js";
import { OutputSchema, type ReadOutput } from "../models/output-schema.js";
import { validatorOf } from "../models/runtime-parts.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { FunctionToolCall } from "../schema/message/content-block.js";
import { textOf, toolCallsOf } from "../schema/message/read-message.js";
import type { AnyStandardSchema, JsonSchema, StandardIssue } from "../schema/standard-schema.js";
import { type ToolInfo, toolInfo } from "../schema/tool-info.js";
import { issueList } from "../wording.js";
import { type AgentParts, outputToolName } from "./agent-parts.js";
import { forgetAnswers } from "./agent-state.js";
import { asksApproval, isPaused } from "./model-answer.js";
import { notExecuted, ownResult, wrongResult } from "./own-calls.js";
import type { CallKind, OngoingTurn } from "./turn.js";

type GivenSchema = AnyStandardSchema | JsonSchema;

const schemas = new WeakMap<GivenSchema, OutputSchema>();

/** The output of an agent as its models are told it, and as their answers are read. */
export function structuredSchemaOf(given: GivenSchema): OutputSchema {
  const schema = schemas.get(given) ?? new OutputSchema(given);
  schemas.set(given, schema);
  return schema;
}

/** Reads the accepted output of an agent again. */
export function readAccepted(
  given: GivenSchema,
  { options: { runtime = defaultRuntime } }: AgentParts,
  accepted: string,
): Promise<ReadOutput> {
  return structuredSchemaOf(given).read(accepted, { validator: runtime.schemaValidator });
}

/** How an agent gets an answer that is a value of its schema. */
export interface OutputRule {
  readonly schema: OutputSchema;
  readonly repairs: number;
  /** The tool by which the model answers; without one it answers in its own format. */
  readonly tool: ToolInfo | undefined;
}

/** The output rule is that of the agent that was called, even if another agent answers. */
export function outputRule(
  { output, outputMode, outputRepairs }: Pick<AgentParts, "output" | "outputMode" | "outputRepairs">,
  tools: readonly ToolInfo[],
): OutputRule | undefined {
  if (output === undefined) return undefined;
  const schema = structuredSchemaOf(output);
  const byTool = outputMode === "tool" || (outputMode === "auto" && tools.length > 0);
  return { schema, repairs: outputRepairs, tool: byTool ? outputTool(schema, tools) : undefined };
}

/** The name of the tool for the output: another one where a tool has it already. */
export function outputToolAmong(tools: readonly ToolInfo[]): string {
  let name = outputToolName;
  for (let count = 2; tools.some((tool) => tool.name === name); count++) name = `${outputToolName}_${count}`;
  return name;
}

function outputTool({ jsonSchema }: OutputSchema, tools: readonly ToolInfo[]): ToolInfo {
  const name = outputToolAmong(tools);
  const description = "Gives the final answer. Call it once, when you have everything that the answer needs.";
  return toolInfo({ name, description, parameters: jsonSchema });
}

/** An answer as an output. `undefined` if it calls tools, or the provider has paused. */
export type Verdict =
  | { readonly kind: "accepted"; readonly text: string; readonly results: readonly AgenticMessage[] }
  | { readonly kind: "invalid"; readonly complaints: readonly AgenticMessage[] }
  | undefined;

interface GivenAnswer {
  readonly answer: AgenticMessage;
  /** The kind of the request. */
  readonly kind: CallKind;
}

/** Looks for the output in an answer. Throws when it does not fit for the last time. */
export async function judgeOutput(
  turn: OngoingTurn,
  rule: OutputRule,
  { answer, kind }: GivenAnswer,
  ctx: NodeContext,
): Promise<Verdict> {
  const calls = toolCallsOf(answer);
  const finals = calls.filter(({ name }) => name === rule.tool?.name);
  if (finals.length > 0) return judgeCalls(turn, rule, { calls, finals, kind }, ctx);
  if (calls.length > 0) return kind === "repair" ? stillNoOutput(turn, rule, answer, calls) : undefined;
  if (isPaused(answer) || asksApproval(answer)) return undefined;
  const text = outputTextOf(answer);
  const read = await readOutput(rule, text, ctx);
  if (read.issues === undefined) return accepted(turn, text, []);
  return invalidOutput(turn, rule, { text, issues: read.issues }, [userMessage(repairRequest(rule, read.issues))]);
}

/** A model may call other tools although it was asked for nothing but the output. */
function stillNoOutput(
  turn: OngoingTurn,
  rule: OutputRule,
  answer: AgenticMessage,
  calls: readonly FunctionToolCall[],
): Verdict {
  const issues = [{ message: `the answer calls ${calls.map(({ name }) => `"${name}"`).join(", ")} instead` }];
  const complaints = [...notExecuted(calls, onlyOutput), userMessage(repairRequest(rule, issues))];
  return invalidOutput(turn, rule, { text: textOf(answer), issues }, complaints);
}

const onlyOutput = "the agent was asked for its answer";

interface Calls {
  readonly calls: readonly FunctionToolCall[];
  readonly finals: readonly FunctionToolCall[];
  readonly kind: CallKind;
}

/** The first call that fits is the output. If none fits, the other calls of a step run. */
async function judgeCalls(
  turn: OngoingTurn,
  rule: OutputRule,
  { calls, finals, kind }: Calls,
  ctx: NodeContext,
): Promise<Verdict> {
  const wrong = new Map<string, readonly StandardIssue[]>();
  for (const final of finals) {
    const read = await readOutput(rule, final.arguments, ctx);
    if (read.issues === undefined) return accepted(turn, final.arguments, resultsBeside(calls, final));
    wrong.set(final.callId, read.issues);
  }
  const [first] = finals;
  if (first === undefined) return undefined;
  const issues = wrong.get(first.callId) ?? [];
  if (kind === "step" && finals.length < calls.length) {
    turn.state.complaints = Object.fromEntries([...wrong].map(([id, found]) => [id, repairRequest(rule, found)]));
    checkRepairs(turn, rule, { text: first.arguments, issues });
    return undefined;
  }
  const complaints = calls.flatMap((call) => {
    const found = wrong.get(call.callId);
    return found === undefined ? notExecuted([call], onlyOutput) : wrongResult(call, repairRequest(rule, found));
  });
  return invalidOutput(turn, rule, { text: first.arguments, issues }, complaints);
}

function accepted(turn: OngoingTurn, text: string, results: readonly AgenticMessage[]): Verdict {
  turn.state.output = text;
  return { kind: "accepted", text, results };
}

interface InvalidOutput {
  readonly text: string;
  readonly issues: readonly StandardIssue[];
}

function invalidOutput(
  turn: OngoingTurn,
  rule: OutputRule,
  wrong: InvalidOutput,
  complaints: readonly AgenticMessage[],
): Verdict {
  checkRepairs(turn, rule, wrong);
  return { kind: "invalid", complaints };
}

function checkRepairs({ state }: OngoingTurn, { repairs }: OutputRule, { text, issues }: InvalidOutput): void {
  state.mismatches += 1;
  if (state.mismatches <= repairs) return;
  forgetAnswers(state);
  throw new InvalidOutputError(text, issues, issueList(issues), state.mismatches - 1);
}

function resultsBeside(calls: readonly FunctionToolCall[], final: FunctionToolCall): AgenticMessage[] {
  return calls.flatMap((call) =>
    call === final ? ownResult(call, "accepted") : notExecuted([call], "the final answer was given beside it"),
  );
}

function repairRequest({ tool }: OutputRule, issues: readonly StandardIssue[]): string {
  const again =
    tool === undefined ? "Answer again with nothing but the JSON" : `Call ${tool.name} again with the whole answer`;
  return `The answer does not fit the JSON Schema of the output. ${again}. Wrong are:${issueList(issues)}`;
}

function readOutput({ schema }: OutputRule, text: string, ctx: NodeContext): Promise<ReadOutput> {
  return schema.read(text, { validator: validatorOf(ctx) });
}

/** A provider may say which of its texts is the output. */
function outputTextOf(message: AgenticMessage): string {
  const { extra } = message;
  return typeof extra?.structuredOutputText === "string" ? extra.structuredOutputText : textOf(message);
}
