import type { ToolContext } from "../../components/tool.js";
import { isFields } from "../../is.js";
import { callDenied } from "../../tools/define/errors.js";
import type { ToolCall } from "../../tools/node/middleware.js";
import { toolRunOf } from "../../tools/node/tool-run.js";
import { turnAround } from "../turn.js";
import { allowAlways, type Decision, decide } from "./decide.js";

/** Decides whether a call runs, asks where a rule says so, and returns the call with what was edited. */
export async function settleCall(call: ToolCall, ctx: ToolContext): Promise<ToolCall> {
  const turn = turnAround(ctx);
  const run = toolRunOf(ctx);
  const stages = run?.entry?.stages;
  if (turn === undefined || run === undefined || stages === undefined) return call;
  const input = isFields(call.input) ? call.input : {};
  // a call that is entered again stays with what was decided
  const decision = await ctx.once(
    "approval_rule",
    async (): Promise<Decision> => decide(turn, ctx.toolName, input, ctx),
  );
  if (decision.action === "deny") throw callDenied(run, decision.reason);
  const onAlways = (): void => allowAlways(turn, decision);
  const { extras } = run;
  extras.approval = { isGiven: decision.action === "allow", onAlways };
  if (decision.action !== "ask") return call;
  const approved = await stages.approveAnswered?.(call.input, ctx, run);
  // what the tool asks itself has its answer
  extras.approval = { isGiven: true, onAlways };
  return approved === undefined ? call : { ...call, input: approved.input, arguments: approved.text ?? call.arguments };
}
