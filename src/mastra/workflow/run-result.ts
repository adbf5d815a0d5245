import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import type { LiveRun } from "./flow.js";
import { isSuspendedInfo } from "./run-step.js";
import { asError, type StepResult } from "./step-result.js";
import type { ResultFields, WorkflowResult } from "./workflow-result.js";

/** The same, before it is told. */
export type WorkflowOutcome =
  | { readonly status: "success"; readonly result: unknown }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "suspended"; readonly interrupts: readonly Interrupt[] }
  | { readonly status: "canceled" };

/** A run as its caller sees it. */
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

/** The errors themselves are known in the process where they were thrown. */
function stepsOf({ state, errors }: LiveRun): Record<string, StepResult> {
  const steps = Object.entries(state?.steps ?? {}).map(([id, result]) => {
    const error = result.status === "failed" ? errors.get(id) : undefined;
    return [id, error === undefined ? { ...result } : { ...result, error: asError(error) }] as const;
  });
  return Object.fromEntries(steps);
}

/** The steps of a workflow, by the keys of their nodes, with those of inner workflows. */
export interface StepTree {
  stepAt(key: string): { readonly id: string; readonly inner: StepTree | undefined } | undefined;
}

/** The steps that wait, each once. */
export function pathsOf(interrupts: readonly Interrupt[], tree: StepTree): readonly (readonly string[])[] {
  const paths = new Map(interrupts.map((one) => pathOf(one, tree)).map((path) => [path.join("\n"), path]));
  return [...paths.values()];
}

/** Which step waits: what a step says itself, or for an agent or a tool in it the nodes on the way there. */
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

/** The node of one item of a list stands for the node of the list. */
function isOfItem(parts: readonly string[], index: number): boolean {
  const before = parts.slice(0, index).findLast((part) => part.startsWith("node:") || part.startsWith("item:"));
  return before?.startsWith("item:") === true;
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
