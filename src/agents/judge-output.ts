import type { NodeContext } from "../components/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { functionToolResult } from "../schema/message/construct-block.js";
import { userMessage } from "../schema/message/construct-message.js";
import type { FunctionToolCall } from "../schema/message/content-block.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import type { StandardIssue } from "../schema/standard-schema.js";
import { callNotExecuted } from "../tools/node/errors.js";
import { errorBlock, resultMessage } from "../tools/node/result-block.js";
import { issueList } from "../wording.js";
import { forgetAnswers } from "./agent-state.js";
import { invalidOutput, type OutputRule, outputTextOf, readOutput } from "./output-rule.js";
import type { Turn } from "./turn.js";

/** What an answer is as an output. `undefined`: it goes on with tools, or the provider has paused. */
export type Verdict =
  | { readonly kind: "accepted"; readonly text: string; readonly results: readonly AgenticMessage[] }
  | { readonly kind: "misfit"; readonly complaints: readonly AgenticMessage[] }
  | undefined;

/** Looks for the output in an answer. Throws when it does not fit for the last time. */
export async function judgeOutput(
  turn: Turn,
  rule: OutputRule,
  answer: AgenticMessage,
  ctx: NodeContext,
): Promise<Verdict> {
  const calls = toolCallsOf(answer);
  const finals = calls.filter(({ name }) => name === rule.tool?.name);
  if (finals.length > 0) return judgeCalls(turn, rule, { calls, finals }, ctx);
  if (calls.length > 0 || answer.responseMeta?.rawFinishReason === "pause_turn") return undefined;
  const text = outputTextOf(answer);
  const read = await readOutput(rule, text, ctx);
  if (read.issues === undefined) return accepted(turn, text, []);
  return misfit(turn, rule, { text, issues: read.issues }, [userMessage(complaint(rule, read.issues))]);
}

interface Calls {
  readonly calls: readonly FunctionToolCall[];
  readonly finals: readonly FunctionToolCall[];
}

/** The first call that fits is the output. If none fits, the other calls run. */
async function judgeCalls(turn: Turn, rule: OutputRule, { calls, finals }: Calls, ctx: NodeContext): Promise<Verdict> {
  const wrong = new Map<string, readonly StandardIssue[]>();
  for (const final of finals) {
    const read = await readOutput(rule, final.arguments, ctx);
    if (read.issues === undefined) return accepted(turn, final.arguments, resultsBeside(calls, final));
    wrong.set(final.callId, read.issues);
  }
  const [first] = finals;
  if (first === undefined) return undefined;
  const issues = wrong.get(first.callId) ?? [];
  turn.state.complaints = Object.fromEntries([...wrong].map(([id, found]) => [id, complaint(rule, found)]));
  if (finals.length < calls.length) {
    checkRepairs(turn, rule, { text: first.arguments, issues });
    return undefined;
  }
  const complaints = finals.map((call) => wrongResult(call, complaint(rule, wrong.get(call.callId) ?? [])));
  return misfit(turn, rule, { text: first.arguments, issues }, complaints);
}

function accepted(turn: Turn, text: string, results: readonly AgenticMessage[]): Verdict {
  turn.state.output = text;
  return { kind: "accepted", text, results };
}

interface Misfit {
  readonly text: string;
  readonly issues: readonly StandardIssue[];
}

function misfit(turn: Turn, rule: OutputRule, wrong: Misfit, complaints: readonly AgenticMessage[]): Verdict {
  checkRepairs(turn, rule, wrong);
  return { kind: "misfit", complaints };
}

function checkRepairs({ state }: Turn, { repairs }: OutputRule, { text, issues }: Misfit): void {
  state.misfits += 1;
  if (state.misfits <= repairs) return;
  forgetAnswers(state);
  throw invalidOutput(text, issues);
}

function resultsBeside(calls: readonly FunctionToolCall[], final: FunctionToolCall): AgenticMessage[] {
  return calls.map((call, index) => {
    if (call === final)
      return userMessage([functionToolResult({ callId: call.callId, name: call.name, result: "accepted" })]);
    const named = { callId: call.callId, name: call.name, toolName: call.name, index };
    const error = callNotExecuted(named, "the final answer was given beside it");
    return resultMessage(named, [errorBlock(named, error, error.message, [])]);
  });
}

/** What the model reads of an output that does not fit. */
export function wrongResult({ callId, name }: FunctionToolCall, text: string): AgenticMessage {
  return userMessage([functionToolResult({ callId, name, result: text, isError: true, errorKind: "validation" })]);
}

function complaint({ tool }: OutputRule, issues: readonly StandardIssue[]): string {
  const again =
    tool === undefined ? "Answer again with nothing but the JSON" : `Call ${tool.name} again with the whole answer`;
  return `The answer does not fit the JSON Schema of the output. ${again}. Wrong are:${issueList(issues)}`;
}
