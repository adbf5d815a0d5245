import { causedByInterrupt, InterruptError } from "../../checkpoint/pause/interrupt.js";
import { clockOf } from "../../components/clock.js";
import type { NodeContext } from "../../components/context.js";
import { pause } from "../../components/pause.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { AnySchema } from "./any-schema.js";
import { checkValue } from "./check-value.js";
import type { Flow, ItemPlace } from "./flow.js";
import { paramsFor, writerOf } from "./flow-params.js";
import { type AnyStep, type StepCall, stepBody } from "./step.js";
import { StepLog } from "./step-log.js";

/** What a suspended step says of itself: the `info` of its interrupt. */
export interface SuspendedInfo {
  readonly kind: "step_suspended";
  /** The workflows around the step, and the step. */
  readonly path: readonly string[];
  readonly payload: unknown;
  readonly item?: ItemPlace | undefined;
}

/** What ended a step early. */
class Bail {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Where a step stands in its workflow. */
export interface StepPlace {
  /** Beside others: its failure does not stop them, and it ends nothing but itself. */
  readonly isMember?: boolean | undefined;
  /** An item of a list: what becomes of it is noted for the whole list. */
  readonly item?: ItemPlace | undefined;
}

/** Runs a step, and notes what becomes of it. */
export async function runStep(
  step: AnyStep,
  input: unknown,
  ctx: NodeContext,
  flow: Flow,
  place: StepPlace = {},
): Promise<unknown> {
  const { live, state } = flow;
  const log = place.item === undefined ? new StepLog(flow, step.id) : undefined;
  const execution = new StepExecution(step, ctx, flow, place.item ?? live.item);
  log?.began(input, execution.resumed);
  try {
    const output = await execution.run(input);
    if (output instanceof Bail) {
      if (!place.isMember) state.bailed = { value: output.value };
      log?.succeeded(output.value, place.isMember ? "bailed" : "success");
      return output.value;
    }
    log?.succeeded(output);
    return output;
  } catch (error) {
    if (causedByInterrupt(error)) log?.suspended(payloadOf(error));
    else if (!ctx.signal.aborted) {
      log?.failed(error);
      if (!place.isMember) live.failure ??= { error };
    }
    throw error;
  }
}

/** With what a step was suspended; of an inner workflow or agent, the first of its questions. */
export function payloadOf(error: unknown): unknown {
  const info = InterruptError.is(error) ? error.interrupts[0].info : undefined;
  return isSuspendedInfo(info) ? info.payload : info;
}

export function isSuspendedInfo(info: unknown): info is SuspendedInfo {
  return typeof info === "object" && info !== null && Reflect.get(info, "kind") === "step_suspended";
}

class StepExecution {
  readonly resumed: { readonly data: unknown } | undefined;
  readonly #step: AnyStep;
  readonly #ctx: NodeContext;
  readonly #flow: Flow;
  readonly #item: ItemPlace | undefined;
  /** It was suspended, whatever the step makes of that. */
  #asked: Promise<never> | undefined;

  constructor(step: AnyStep, ctx: NodeContext, flow: Flow, item: ItemPlace | undefined) {
    this.#step = step;
    this.#ctx = ctx;
    this.#flow = flow;
    this.#item = item;
    const { resume } = ctx;
    if (resume.hasData) this.resumed = { data: resume.data };
  }

  async run(input: unknown): Promise<unknown> {
    const { live } = this.#flow;
    const { inputSchema, outputSchema, resumeSchema, retries } = this.#step;
    const inputData = live.validatesInputs ? await checkValue(inputSchema, input, this.#named("input")) : input;
    const resumeData =
      this.resumed &&
      (await checkValue(resumeSchema, this.resumed.data, this.#named("resume data"), "ANSWER_MISMATCH"));
    const attempts = retries ?? live.retry.attempts;
    for (let retryCount = 0; ; retryCount++) {
      try {
        const params = this.#params(inputData, resumeData, retryCount);
        const output = await this.#step[stepBody]({
          ...{ params, ctx: this.#ctx, flow: this.#flow, step: this.#step, item: this.#item },
        });
        if (this.#asked !== undefined) await this.#asked;
        if (output instanceof Bail || !live.validatesOutputs) return output;
        return await checkValue(outputSchema, output, this.#named("output"));
      } catch (error) {
        if (causedByInterrupt(error) || this.#ctx.signal.aborted || retryCount >= attempts) throw error;
        if (live.retry.delayMs > 0) await pause(live.retry.delayMs, clockOf(this.#ctx), this.#ctx.signal);
      }
    }
  }

  #named(what: string) {
    return { workflow: this.#flow.live.workflowId, step: this.#step.id, what };
  }

  #params(inputData: unknown, resumeData: unknown, retryCount: number): StepCall["params"] {
    const { resume } = this.#ctx;
    const { write } = writerOf(this.#flow, this.#ctx, this.#step.id);
    return Object.assign(paramsFor(inputData, this.#ctx, this.#flow), {
      resumeData,
      suspendData: resume.wasInterrupted ? resume.state : undefined,
      suspend: (payload: unknown) => this.#suspend(payload),
      bail: (value: unknown) => new Bail(value) as never,
      writer: { write, custom: write },
      retryCount,
    });
  }

  #suspend(payload: unknown): Promise<never> {
    const asked = this.#step.suspendSchema === undefined ? this.#interrupt(payload) : this.#checkAndInterrupt(payload);
    asked.catch(() => undefined);
    this.#asked = asked;
    return asked;
  }

  async #checkAndInterrupt(payload: unknown): Promise<never> {
    return this.#interrupt(await checkValue(this.#step.suspendSchema, payload, this.#named("suspend payload")));
  }

  async #interrupt(payload: unknown): Promise<never> {
    const { id, resumeSchema } = this.#step;
    const info: SuspendedInfo = {
      kind: "step_suspended",
      path: [...this.#flow.live.path, id],
      payload,
      ...(this.#item !== undefined && { item: this.#item }),
    };
    return this.#ctx.interrupt(info, { state: payload, schema: travelling(resumeSchema) });
  }
}

/** A schema that has a JSON form travels with its question. */
function travelling(schema: AnySchema | undefined): AnySchema | undefined {
  if (schema === undefined) return undefined;
  try {
    toJsonSchema(schema);
    return schema;
  } catch {
    return undefined;
  }
}
