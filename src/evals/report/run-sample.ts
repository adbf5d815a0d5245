import { causedByInterrupt, InterruptError } from "../../checkpoint/pause/interrupt.js";
import { clockOf } from "../../components/clock.js";
import type { NodeContext } from "../../components/context.js";
import { endsRun, messageOf } from "../../errors.js";
import { type Fields, isFields, textIf } from "../../is.js";
import { Context } from "../../run/context.js";
import { areMessages } from "../../schema/message/agentic-message.js";
import { type ReadScore, readScore, type Scorer } from "../scores/score.js";
import { usageIn } from "../scores/usage.js";
import { calls } from "../trajectory/calls.js";
import type { RanSample, Sample } from "./sample.js";

type Run = (one: object, ctx: NodeContext) => unknown;

/** Runs a case. A failure is a result too, and so is a question that nobody will answer; aborts and misses of tapes go on. */
export async function runSample(run: Run, { one }: Sample, ctx: NodeContext, asks: boolean): Promise<RanSample> {
  const clock = clockOf(ctx);
  const startedAt = clock.now();
  const ended = (): number => clock.now() - startedAt;
  try {
    const ran = readResult(await run(one, ctx));
    if (ran.error !== undefined) withdraw(ctx);
    return { ...ran, durationMs: ended() };
  } catch (error) {
    const waits = causedByInterrupt(error);
    if (ctx.signal.aborted || endsRun(error) || (waits && asks)) throw error;
    if (waits) withdraw(ctx);
    return { error: waits ? waitingText(error) : messageOf(error), durationMs: ended(), usageByModel: {} };
  }
}

/** A question that is a result does not hold up the evaluation. */
function withdraw(ctx: NodeContext): void {
  if (!(ctx instanceof Context)) return;
  const { origin } = ctx;
  if ("withdrawStop" in origin && typeof origin.withdrawStop === "function") origin.withdrawStop();
}

function waitingText(error: unknown): string {
  let current = error;
  while (!InterruptError.is(current) && current instanceof Error) current = current.cause;
  return InterruptError.is(current) ? `waits for ${namesOf(current.interrupts)}` : messageOf(error);
}

function namesOf(interrupts: unknown): string {
  const names = Array.isArray(interrupts) ? interrupts.map((one: unknown) => nameOf(isFields(one) ? one : {})) : [];
  return names.length === 0 ? "an answer" : names.join(", ");
}

/** What a question asks for: `tool_approval of refund`. */
function nameOf({ info, address }: Fields): string {
  if (!isFields(info)) return textIf(info) ?? `an answer at ${String(address)}`;
  const [kind, tool] = [textIf(info.kind), textIf(info.toolName)];
  if (kind === undefined) return `an answer at ${String(address)}`;
  return tool === undefined ? kind : `${kind} of ${tool}`;
}

type Read = Omit<RanSample, "durationMs">;

/** The result of an agent as plain data, `output` beside `usageByModel`, or a value of its own. */
function readResult(given: unknown): Read {
  if (!isFields(given)) return { output: given, usageByModel: {} };
  const { finishReason, steps, messages, usageByModel } = given;
  if (typeof finishReason === "string" && Array.isArray(steps) && areMessages(messages)) return readAgent(given);
  if (isFields(usageByModel) && "output" in given) {
    return { output: given.output, usageByModel: usageIn(usageByModel) };
  }
  return { output: given, usageByModel: {} };
}

function readAgent(given: Fields): Read {
  const output = outputOf(given);
  const result = plain({ ...given, ...("value" in output && { output: output.value }) });
  const usageByModel = usageIn(given.usageByModel);
  if (given.finishReason === "waiting") {
    return { result, error: `waits for ${namesOf(given.interrupts)}`, usageByModel };
  }
  if ("error" in output) return { result, error: output.error, usageByModel };
  return { output: output.value, result, usageByModel };
}

/** Reading the output throws if there is none. */
function outputOf(given: Fields): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: given.output };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

/** Scores a sample. A scorer that throws leaves it unscored. */
export async function scoreSample(
  scorer: Scorer<never, never>,
  { sample: { one }, ran }: { readonly sample: Sample; readonly ran: RanSample },
  ctx: NodeContext,
  asks: boolean,
): Promise<ReadScore> {
  if (ran.error !== undefined) return { score: 0, reason: ran.error };
  const { output, result = output } = ran;
  const { input, expected } = one as Fields;
  const args = {
    ...one,
    output,
    result,
    calls: ran.result === undefined ? [] : calls(ran.result as never),
    inputs: input,
    outputs: output,
    referenceOutputs: expected,
    reference_outputs: expected,
  };
  try {
    return readScore(await scorer(args as never, ctx));
  } catch (error) {
    const waits = causedByInterrupt(error);
    if (ctx.signal.aborted || endsRun(error) || (waits && asks)) throw error;
    if (waits) withdraw(ctx);
    return { score: null, reason: `The scorer failed: ${waits ? waitingText(error) : messageOf(error)}` };
  }
}
