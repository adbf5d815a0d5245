import { KumikoError } from "../../errors.js";
import type { LiveRun } from "./flow.js";
import type { StepCall } from "./step.js";
import type { RunOwner } from "./workflow-run.js";

/** Runs a workflow as a step of another one. If it suspends, the outer run suspends too. */
export async function runInner(owner: RunOwner, { params, ctx, flow, step, item }: StepCall): Promise<unknown> {
  const { live } = flow;
  const inner: LiveRun = {
    ...{ workflowId: owner.id, runId: live.runId, path: [...live.path, step.id], mastra: live.mastra },
    ...{ item, outermost: live.outermost ?? live, resumed: undefined },
    ...{ validatesInputs: owner.validatesInputs, validatesOutputs: owner.validatesOutputs },
    ...{ errors: new Map(), failure: undefined, state: undefined },
    abort: () => live.abort(),
    get isWatched() {
      return live.isWatched;
    },
    emit: (event) => live.emit(event),
  };
  const given = { input: params.inputData, shared: {} };
  try {
    const output = await owner
      .app()
      .graph.invoke(given, { parent: ctx, key: step.id, options: { lambda: { run: inner } } });
    return inner.state?.bailed === undefined ? output : inner.state.bailed.value;
  } catch (error) {
    if (inner.failure !== undefined && KumikoError.is(error) && error.code === "NODE_FAILED") throw inner.failure.error;
    throw error;
  }
}
