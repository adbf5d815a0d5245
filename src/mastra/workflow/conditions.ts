import type { NodeContext } from "../../components/context.js";
import { messageOf } from "../../errors.js";
import type { Flow } from "./flow.js";
import type { BranchCase, FlowEntry } from "./flow-entry.js";
import { paramsFor } from "./flow-params.js";

/** Chooses the cases of a branch whose condition is true. A condition that throws is logged and counts as false. */
export async function chooseCases(
  cases: readonly BranchCase[],
  value: unknown,
  ctx: NodeContext,
  flow: Flow,
): Promise<{ readonly value: unknown; readonly chosen: readonly number[] }> {
  const params = Object.assign(paramsFor(value, ctx, flow), { iterationCount: 0 });
  const holds = await Promise.all(
    cases.map(async ({ condition, step }) => {
      try {
        return Boolean(await condition(params as never));
      } catch (error) {
        flow.live.mastra
          .getLogger()
          .error(
            `The condition of step "${step.id}" in workflow "${flow.live.workflowId}" failed, so the step is skipped: ${messageOf(error)}`,
          );
        return false;
      }
    }),
  );
  return { value, chosen: holds.flatMap((isTrue, index) => (isTrue ? [index] : [])) };
}

/** Evaluates the condition of a loop, and saves for the branch after it whether the step runs again. */
export async function evaluateLoop(
  { step, until, condition }: FlowEntry & { readonly type: "loop" },
  output: unknown,
  ctx: NodeContext,
  flow: Flow,
): Promise<void> {
  const { state } = flow;
  const iterationCount = (state.turns[step.id] ?? 0) + 1;
  state.turns[step.id] = iterationCount;
  const params = Object.assign(paramsFor(output, ctx, flow), { iterationCount });
  const holds = Boolean(await condition(params as never));
  state.repeats[step.id] = holds !== until;
}
