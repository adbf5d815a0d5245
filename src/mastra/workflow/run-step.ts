import { causedByInterrupt, InterruptError } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type { AnySchema } from "./any-schema.js";
import { checkValue } from "./check-value.js";
import type { Flow, ItemPlace } from "./flow.js";
import { paramsFor, writerOf } from "./flow-params.js";
import { type AnyStep, type StepCall, stepBody } from "./step.js";
import { StepLog } from "./step-log.js";
import type { StepRetries } from "./step-retries.js";

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

/** A step as a node: it is tried again by a policy of its node. */
export interface StepNode {
  readonly step: AnyStep;
  readonly retries: StepRetries;
}

/** Where a step stands in its workflow. */
export interface StepPlace {
  /** Beside others: its failure does not stop them, and it ends nothing but itself. */
  readonly isMember?: boolean | undefined;
  /** An item of a list: what becomes of it is noted for the whole list. */
  readonly item?: ItemPlace | undefined;
}

/** Runs a step once, and notes what becomes of it. */
export async function runStep(
  { step, retries }: StepNode,
  input: unknown,
  ctx: NodeContext,
  flow: Flow,
  place: StepPlace = {},
): Promise<unknown> {
  const { live, state } = flow;
  const log = place.item === undefined ? new StepLog(flow, step.id) : undefined;
  const execution = new StepExecution(step, ctx, flow, place.item ?? live.item);
  if (ctx.attempt === 1) log?.began(input, execution.resumed ?? resumedInside(flow, step.id));
  try {
    const inputData = await execution.check(input).catch((error: unknown) => {
      retries.giveUpOn(error);
      throw error;
    });
    const output = await execution.run(inputData);
    if (output instanceof Bail) {
      if (!place.isMember) state.bailed = { value: output.value };
      log?.succeeded(output.value, place.isMember ? "bailed" : "success");
      return output.value;
    }
    log?.succeeded(output);
    return output;
  } catch (error) {
    if (causedByInterrupt(error)) log?.suspended(payloadOf(error));
    else if (!ctx.signal.aborted && retries.isLast(ctx.attempt, error)) {
      log?.failed(error);
      if (!place.isMember) live.failure ??= { error };
    }
    throw error;
  }
}

/** What a step inside this one is resumed with. */
function resumedInside({ live, state }: Flow, id: string): { readonly data: unknown } | undefined {
  const { resumed, path } = live.outermost ?? live;
  if (resumed === undefined || state.steps[id]?.status !== "suspended") return undefined;
  const own = [...live.path, id].slice(path.length);
  return resumed.path.length > own.length && own.every((part, index) => resumed.path[index] === part)
    ? { data: resumed.data }
    : undefined;
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

  async check(input: unknown): Promise<unknown> {
    const { live } = this.#flow;
    return live.validatesInputs ? checkValue(this.#step.inputSchema, input, this.#named("input")) : input;
  }

  async run(inputData: unknown): Promise<unknown> {
    const { live } = this.#flow;
    const { outputSchema, resumeSchema } = this.#step;
    const resumeData =
      this.resumed &&
      (await checkValue(resumeSchema, this.resumed.data, this.#named("resume data"), "ANSWER_MISMATCH"));
    const output = await this.#step[stepBody]({
      ...{ params: this.#params(inputData, resumeData), ctx: this.#ctx, flow: this.#flow },
      ...{ step: this.#step, item: this.#item },
    });
    if (this.#asked !== undefined) await this.#asked;
    if (output instanceof Bail || !live.validatesOutputs) return output;
    return await checkValue(outputSchema, output, this.#named("output"));
  }

  #named(what: string) {
    return { workflow: this.#flow.live.workflowId, step: this.#step.id, what };
  }

  #params(inputData: unknown, resumeData: unknown): StepCall["params"] {
    const { resume } = this.#ctx;
    return paramsFor(inputData, this.#ctx, this.#flow, {
      resumeData,
      suspendData: resume.wasInterrupted ? resume.state : undefined,
      suspend: (payload: unknown) => this.#suspend(payload),
      bail: (value: unknown) => new Bail(value) as never,
      writer: writerOf(this.#flow, this.#ctx, this.#step.id),
      retryCount: this.#ctx.attempt - 1,
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

/** A schema that has a JSON form travels with its question. Converting it takes longer than all the rest of a question. */
function travelling(schema: AnySchema | undefined): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  if (!converted.has(schema)) converted.set(schema, jsonSchemaOf(schema));
  return converted.get(schema);
}

function jsonSchemaOf(schema: AnySchema): JsonSchema | undefined {
  try {
    // a copy: what zod gives would pass for a schema of its own, and be converted again
    return { ...toJsonSchema(schema) };
  } catch {
    return undefined;
  }
}

const converted = new WeakMap<AnySchema, JsonSchema | undefined>();
