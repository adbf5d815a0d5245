import type { NodeContext } from "../../components/context.js";
import type { RequestContext } from "../../components/request-context.js";
import { invalidStep } from "../errors.js";
import { type Flow, flowOf, setShared, sharedOf } from "./flow.js";
import type { StepRef } from "./run-options.js";
import type { StepParams, StepWriter } from "./step.js";
import { StepLog } from "./step-log.js";

type AnyParams = StepParams<unknown, unknown, unknown>;
/** The parameters that only steps have. */
type StepOnlyParams = Pick<AnyParams, "resumeData" | "suspendData" | "suspend" | "bail" | "writer" | "retryCount">;

/** The parameters of a step, or of a mapping, condition or duration, which can neither suspend nor bail. */
export function paramsFor(
  inputData: unknown,
  ctx: NodeContext,
  flow: Flow,
  own: StepOnlyParams = functionParams(ctx, flow),
): AnyParams {
  const { live, state } = flow;
  const requestContext = ctx.requestContext as RequestContext;
  const params: Omit<AnyParams, keyof typeof readLater> = {
    inputData,
    resumeData: own.resumeData,
    suspendData: own.suspendData,
    setState: async (values) => setShared(flow, values),
    suspend: own.suspend,
    bail: own.bail,
    getStepResult: (step: StepRef) => stepOutputOf(flow, step),
    getInitData: <Data>() => state.input as Data,
    mastra: live.mastra,
    runId: live.runId,
    workflowId: live.workflowId,
    requestContext,
    runtimeContext: requestContext,
    abort: () => live.abort(),
    writer: own.writer,
    retryCount: own.retryCount,
    ctx,
  };
  return Object.defineProperties(params, readLater) as AnyParams;
}

/**
 * What is looked up when it is read. These functions are the same for all parameters: with a getter of its own, each object would have
 * a form of its own for the engine, which outlives it.
 */
const readLater = {
  state: {
    get(this: AnyParams) {
      return sharedOf(flowOf(this.ctx));
    },
    enumerable: true,
    configurable: true,
  },
  abortSignal: {
    get(this: AnyParams) {
      return this.ctx.signal;
    },
    enumerable: true,
    configurable: true,
  },
} satisfies PropertyDescriptorMap;

function functionParams(ctx: NodeContext, flow: Flow): StepOnlyParams {
  return {
    resumeData: undefined,
    suspendData: undefined,
    suspend: async () => onlySteps("suspend"),
    bail: () => onlySteps("bail"),
    writer: writerOf(flow, ctx, "function"),
    retryCount: 0,
  };
}

/** The output of a step, or `null` if it has not finished successfully. */
export function stepOutputOf({ state }: Flow, step: StepRef): unknown {
  const result = state.steps[typeof step === "string" ? step : step.id];
  return result?.status === "success" || result?.status === "bailed" ? result.output : null;
}

export function writerOf(flow: Flow, ctx: NodeContext, id: string): StepWriter {
  const write = async (chunk: unknown): Promise<void> => {
    new StepLog(flow, id).wrote(chunk);
    ctx.progress(chunk);
  };
  return { write, custom: write };
}

function onlySteps(name: string): never {
  throw invalidStep(`${name}() was called in a condition, a mapping or a duration. Only steps can call it.`);
}
