import { checkOptions } from "../../check-options.js";
import { causedByInterrupt, InterruptError } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import { KumikoError } from "../../errors.js";
import { Context } from "../../run/context.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { shorten } from "../../schema/shorten.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { invalidMastraOption } from "../errors.js";
import type { AnySchema } from "./any-schema.js";
import { checkValue } from "./check-value.js";
import type { Flow, ItemPosition, LiveRun } from "./flow.js";
import { paramsFor, writerOf } from "./flow-params.js";
import { type AnyStep, type StepCall, type SuspendOptions, stepBody } from "./step.js";
import { StepLog } from "./step-log.js";
import type { StepRetries } from "./step-retries.js";

/** The `info` of the interrupt of a suspended step. */
export interface SuspendedInfo {
  readonly kind: "step_suspended";
  /** The ids of the steps that lead to the step, and its own. */
  readonly path: readonly string[];
  readonly payload: unknown;
  readonly item?: ItemPosition | undefined;
  /** The names of the question that `suspend` gave it. */
  readonly labels?: readonly string[] | undefined;
}

/** The return value of `bail`. */
class Bail {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** A step with the retry policy of its node. */
export interface StepNode {
  readonly step: AnyStep;
  readonly retries: StepRetries;
}

/** Whether a step runs in parallel with others, or for an item of an array. */
export interface StepPosition {
  /** Runs in parallel with other steps: its failure does not stop them, and `bail` ends only the step. */
  readonly isMember?: boolean | undefined;
  /** Runs for an item of `.foreach`, which logs results for the whole array. */
  readonly item?: ItemPosition | undefined;
}

/** Runs one attempt of a step, and logs its result. */
export async function runStep(
  { step, retries }: StepNode,
  input: unknown,
  ctx: NodeContext,
  flow: Flow,
  position: StepPosition = {},
): Promise<unknown> {
  const { live, state } = flow;
  const log = position.item === undefined ? new StepLog(flow, step.id) : undefined;
  const execution = new StepExecution(step, ctx, flow, position.item ?? live.item);
  if (ctx.attempt === 1) log?.began(input, execution.resumed ?? resumedInside(flow, step.id));
  try {
    const inputData = await execution.check(input).catch((error: unknown) => {
      retries.giveUpOn(error);
      throw error;
    });
    const output = await execution.run(inputData).catch((error: unknown) => {
      if (waitsAgain(error, live)) retries.giveUpOn(error);
      throw error;
    });
    if (output instanceof Bail) {
      if (!position.isMember) state.bailed = { value: output.value };
      log?.succeeded(output.value, position.isMember ? "bailed" : "success");
      return output.value;
    }
    log?.succeeded(output);
    return output;
  } catch (error) {
    if (causedByInterrupt(error)) log?.suspended(payloadOf(error));
    else if (waitsAgain(error, live)) log?.suspended(ctx.resume.state);
    else if (retries.isLast(ctx.attempt, error) && !ctx.signal.aborted) {
      log?.failed(error);
      if (!position.isMember) live.failure ??= { error };
    }
    throw error;
  }
}

/** The resume data for a step of an inner workflow, if this step is that workflow. */
function resumedInside({ live, state }: Flow, id: string): { readonly data: unknown } | undefined {
  const { resumed, path } = live.outermost ?? live;
  if (resumed.length === 0 || state.steps[id]?.status !== "suspended") return undefined;
  const own = [...live.path, id].slice(path.length);
  return resumed.find((step) => step.path.length > own.length && own.every((part, index) => step.path[index] === part));
}

/** Whether an answer did not fit, and its question is open again. */
export function waitsAgain(error: unknown, { isDriven }: LiveRun): boolean {
  return isDriven && KumikoError.is(error) && error.code === "ANSWER_MISMATCH";
}

/** The payload of `suspend`; for an inner workflow or agent, that of its first interrupt. */
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
  readonly #item: ItemPosition | undefined;
  /** Rejects with the interrupt once `suspend` was called, even if the step does not await it. */
  #suspended: Promise<never> | undefined;

  constructor(step: AnyStep, ctx: NodeContext, flow: Flow, item: ItemPosition | undefined) {
    this.#step = step;
    this.#ctx = ctx;
    this.#flow = flow;
    this.#item = item;
    const { resume } = ctx;
    if (resume.hasData) this.resumed = { data: resume.data };
  }

  async check(input: unknown): Promise<unknown> {
    const { live } = this.#flow;
    return live.validatesInputs ? checkValue(this.#step.inputSchema, input, this.#checkedValue("input")) : input;
  }

  async run(inputData: unknown): Promise<unknown> {
    const { live } = this.#flow;
    const { outputSchema, resumeSchema } = this.#step;
    const resumeData = this.resumed && (await this.#checkAnswer(resumeSchema, this.resumed.data));
    const output = await this.#step[stepBody]({
      ...{ params: this.#params(inputData, resumeData), ctx: this.#ctx, flow: this.#flow },
      ...{ step: this.#step, item: this.#item },
    });
    if (this.#suspended !== undefined) await this.#suspended;
    if (output instanceof Bail || !live.validatesOutputs) return output;
    return await checkValue(outputSchema, output, this.#checkedValue("output"));
  }

  async #checkAnswer(schema: AnySchema | undefined, data: unknown): Promise<unknown> {
    try {
      return await checkValue(schema, data, this.#checkedValue("resume data"), "ANSWER_MISMATCH");
    } catch (error) {
      if (this.#flow.live.isDriven && this.#ctx instanceof Context) this.#ctx.openedInvocation?.reopenInterrupt();
      throw error;
    }
  }

  #checkedValue(what: string) {
    return { workflow: this.#flow.live.workflowId, step: this.#step.id, what };
  }

  #params(inputData: unknown, resumeData: unknown): StepCall["params"] {
    const { resume } = this.#ctx;
    return paramsFor(inputData, this.#ctx, this.#flow, {
      resumeData,
      suspendData: resume.wasInterrupted ? resume.state : undefined,
      suspend: (payload: unknown, options?: SuspendOptions) => this.#suspend(payload, options),
      bail: (value: unknown) => new Bail(value) as never,
      writer: writerOf(this.#flow, this.#ctx, this.#step.id),
      retryCount: this.#ctx.attempt - 1,
    });
  }

  #suspend(payload: unknown, options: SuspendOptions = {}): Promise<never> {
    const interrupt =
      this.#step.suspendSchema === undefined
        ? this.#interrupt(payload, options)
        : this.#checkAndInterrupt(payload, options);
    interrupt.catch(() => undefined);
    this.#suspended = interrupt;
    return interrupt;
  }

  async #checkAndInterrupt(payload: unknown, options: SuspendOptions): Promise<never> {
    const checked = await checkValue(this.#step.suspendSchema, payload, this.#checkedValue("suspend payload"));
    return this.#interrupt(checked, options);
  }

  async #interrupt(payload: unknown, options: SuspendOptions): Promise<never> {
    const { id, resumeSchema } = this.#step;
    const labels = labelsOf(id, options);
    const info: SuspendedInfo = {
      kind: "step_suspended",
      path: [...this.#flow.live.path, id],
      payload,
      ...(this.#item !== undefined && { item: this.#item }),
      ...(labels.length > 0 && { labels }),
    };
    return this.#ctx.interrupt(info, { state: payload, schema: answerSchemaOf(resumeSchema) });
  }
}

/** The labels that a step gives its question. */
function labelsOf(step: string, options: SuspendOptions): readonly string[] {
  checkOptions(`suspend of step "${step}"`, options, ["resumeLabel"]);
  const { resumeLabel } = options;
  if (resumeLabel === undefined) return [];
  const labels: readonly unknown[] = [resumeLabel].flat();
  if (labels.every((label) => typeof label === "string" && label !== "")) return labels as readonly string[];
  throw invalidMastraOption(
    `resumeLabel of suspend of step "${step}" must be a non-empty string, or an array of them (got ${shorten(resumeLabel)}).`,
  );
}

/** The JSON Schema of the answer, cached because the conversion is slow. `undefined` if the schema has no JSON form. */
function answerSchemaOf(schema: AnySchema | undefined): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  if (!answerSchemas.has(schema)) answerSchemas.set(schema, jsonSchemaOf(schema));
  return answerSchemas.get(schema);
}

function jsonSchemaOf(schema: AnySchema): JsonSchema | undefined {
  try {
    // a copy, because the result of zod looks like a zod schema and would be answerSchemas again
    return { ...toJsonSchema(schema) };
  } catch {
    return undefined;
  }
}

const answerSchemas = new WeakMap<AnySchema, JsonSchema | undefined>();
