import type { NodeContext } from "../../components/context.js";
import { messageOf } from "../../errors.js";
import type { Flow } from "./flow.js";
import type { BranchCase, FlowEntry } from "./flow-entry.js";
import { paramsFor } from "./flow-params.js";

/** Which cases of a branch run: all whose condition holds. One that fails does not hold, and is logged. */
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
            `The condition of step "${step.id}" in workflow "${flow.live.workflowId}" failed, and the step is left out: ${messageOf(error)}`,
          );
        return false;
      }
    }),
  );
  return { value, chosen: holds.flatMap((hold, index) => (hold ? [index] : [])) };
}

/** Whether a loop makes another turn: noted for the branch behind it. */
export async function isRepeated(
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
