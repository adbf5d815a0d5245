import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { LiveRun } from "./flow.js";
import { isSuspendedInfo } from "./run-step.js";
import { asError, type StepResult } from "./step-result.js";
import type { ResultFields, WorkflowResult } from "./workflow-result.js";

/** How a run ended, before it becomes a {@link WorkflowResult}. */
export type WorkflowOutcome =
  | { readonly status: "success"; readonly result: unknown }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "suspended"; readonly interrupts: readonly Interrupt[] }
  | { readonly status: "canceled" };

/** Converts the outcome of a run to the result for its caller. */
export function resultOfRun(live: LiveRun, tree: StepTree, outcome: WorkflowOutcome): WorkflowResult<never> {
  const { state, runId } = live;
  const fields: ResultFields = {
    runId,
    input: state?.input,
    steps: stepsOf(live),
    state: { ...state?.shared },
  };
  switch (outcome.status) {
    case "success":
      return { status: "success", ...fields, result: outcome.result as never };
    case "failed":
      return { status: "failed", ...fields, error: asError(outcome.error) };
    case "canceled":
      return { status: "canceled", ...fields };
    case "suspended": {
      const { interrupts } = outcome;
      const suspended = pathsOf(interrupts, tree);
      return { status: "suspended", ...fields, suspended, suspendPayload: payloads(interrupts, tree), interrupts };
    }
    default:
      return outcome satisfies never;
  }
}

/** The results of the steps, with the thrown errors in place of the saved ones if this process has them. */
function stepsOf({ state, errors }: LiveRun): Record<string, StepResult> {
  const steps = Object.entries(state?.steps ?? {}).map(([id, result]) => {
    const error = result.status === "failed" ? errors.get(id) : undefined;
    return [id, error === undefined ? { ...result } : { ...result, error: asError(error) }] as const;
  });
  return Object.fromEntries(steps);
}

/** Finds the steps of a workflow, and those of inner workflows, by node key. @internal */
export interface StepTree {
  stepAt(key: string): { readonly id: string; readonly inner: StepTree | undefined } | undefined;
}

/** The paths of the suspended steps, without duplicates. */
export function pathsOf(interrupts: readonly Interrupt[], tree: StepTree): readonly (readonly string[])[] {
  const paths = new Map(interrupts.map((one) => pathOf(one, tree)).map((path) => [path.join("\n"), path]));
  return [...paths.values()];
}

/** The path of a suspended step. If an agent or tool inside the step asked, the path is found by its address. */
export function pathOf({ info, address }: Interrupt, tree: StepTree): readonly string[] {
  if (isSuspendedInfo(info)) return info.path;
  const parts = address.split(";");
  const path: string[] = [];
  let inner: StepTree | undefined = tree;
  for (const [index, part] of parts.entries()) {
    if (!part.startsWith("node:") || isOfItem(parts, index)) continue;
    const step: ReturnType<StepTree["stepAt"]> = inner?.stepAt(
      part.slice("node:".length).replaceAll("%3B", ";").replaceAll("%25", "%"),
    );
    if (step === undefined) break;
    path.push(step.id);
    inner = step.inner;
  }
  return path;
}

/** Whether a node retries the step of one item of `.foreach`; the node of the whole list is already in the path. */
function isOfItem(parts: readonly string[], index: number): boolean {
  return parts[index - 1]?.startsWith("item:") === true;
}

function payloads(interrupts: readonly Interrupt[], tree: StepTree): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const interrupt of interrupts) {
    const [id = ""] = pathOf(interrupt, tree);
    if (Object.hasOwn(found, id)) continue;
    found[id] = isSuspendedInfo(interrupt.info) ? interrupt.info.payload : interrupt.info;
  }
  return found;
}
