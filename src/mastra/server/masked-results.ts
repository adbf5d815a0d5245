import { KumikoError } from "../../errors.js";
import { ErrorMask } from "../../ui/error-mask.js";
import { type MastraAgentResult, mastraResult } from "../agent/agent-result.js";
import type { AnyMastra } from "../any-mastra.js";
import type { WorkflowResult } from "../workflow/workflow-result.js";
import { neutralText } from "./error-responses.js";

/** The result of an agent as clients get it: why tools have failed stays on the server. */
export function maskedResult(result: MastraAgentResult<unknown>): object {
  const mask = new ErrorMask(undefined);
  const masked = new Map(result.messages.map((message) => [message, mask.message(message)]));
  const maskedOne = (message: MastraAgentResult["messages"][number]) => masked.get(message) ?? mask.message(message);
  const messages = result.messages.map(maskedOne);
  const steps = result.steps.map((step) => {
    const { message, results, usage, finishReason, model, agent } = step;
    return { message: maskedOne(message), results: results.map(maskedOne), usage, finishReason, model, agent };
  });
  const { response, steps: told } = mastraResult(
    { ...result, messages, steps, finishReason: "other", interrupts: [], output: undefined },
    { runId: result.runId, hasOutput: result.object !== undefined },
  );
  return { ...result, messages, steps: told, response, ...outputOf(result) };
}

function outputOf(result: { readonly output: unknown }): object {
  try {
    return { output: result.output };
  } catch {
    return {};
  }
}

/** The response for the result of a workflow. Why a step has failed stays on the server: the logger gets it. */
export function runResponse(mastra: AnyMastra, result: WorkflowResult): Response {
  const steps = Object.entries(result.steps).map(([id, step]) => {
    return [id, step.error === undefined ? step : { ...step, error: maskedError(step.error) }] as const;
  });
  const error = result.status === "failed" ? { error: maskedError(result.error) } : {};
  if (result.status === "failed") mastra.getLogger().error(`Run "${result.runId}" of a workflow failed.`, result.error);
  return Response.json({ ...result, steps: Object.fromEntries(steps), ...error });
}

function maskedError(error: Error): object {
  return { name: error.name, message: neutralText, ...(KumikoError.is(error) && { code: error.code }) };
}
