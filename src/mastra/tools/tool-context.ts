import type { NodeContext } from "../../components/context.js";
import type { RequestContext } from "../../components/request-context.js";
import type { ToolContext } from "../../components/tool.js";
import type { AnyMastra } from "../any-mastra.js";
import type { Untyped } from "../untyped.js";
import type { StepParams, StepWriter } from "../workflow/step.js";

/** The second argument of `execute` of a tool. */
export interface MastraToolContext<Options = unknown, Suspended = unknown, Resumed = unknown>
  extends Omit<ToolContext<Options, Suspended, Resumed>, "agent" | "requestContext"> {
  /** The values of this request. */
  readonly requestContext: RequestContext<Record<string, Untyped>>;
  /** The older name of `requestContext`. */
  readonly runtimeContext: RequestContext<Record<string, Untyped>>;
  /** The Mastra instance that the tool is registered with. */
  readonly mastra: AnyMastra;
  /** Writes values to the stream of the run. */
  readonly writer: StepWriter;
  /** Empty: traces come from callbacks. Present so that tools of Mastra can pass it on. */
  readonly tracingContext: object;
  /** The call, if a model made it. */
  readonly agent?: ToolContext["agent"] & {
    readonly toolCallId: string;
    readonly messages: ToolContext["messages"];
    readonly suspend: (payload?: Suspended) => Promise<never>;
    readonly resumeData: Resumed | undefined;
  };
  /** The run, if the tool is a step of a workflow. */
  readonly workflow?: Pick<StepParams, "runId" | "workflowId" | "state" | "setState" | "suspend" | "resumeData">;
}

/** Adds the names of Mastra to the context of a tools node. */
export function mastraToolContext(ctx: ToolContext, mastra: AnyMastra): MastraToolContext {
  const { toolCallId, messages, suspend, resumeData } = ctx;
  const write = async (chunk: unknown): Promise<void> => ctx.progress(chunk);
  return ctx.with({
    mastra,
    runtimeContext: ctx.requestContext,
    writer: { write, custom: write },
    tracingContext: {},
    agent: { ...ctx.agent, toolCallId, messages, suspend, resumeData },
  }) as NodeContext as MastraToolContext;
}
