import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { nodeDefinition } from "../compose/plan/node-definition.js";
import type { NodeBody } from "../compose/plan/plan.js";
import type { Runtime } from "../compose/runtime.js";
import type { DurableApp } from "../compose/segment.js";
import { isFields, isObject } from "../is.js";
import { appWithoutStore, noApps, notAnApp, otherName, otherStore } from "./errors.js";

/** The apps of a worker, and what they have in common. */
export interface WorkerParts {
  readonly apps: ReadonlyMap<string, DurableApp>;
  readonly store: CheckpointStore;
  readonly runtime: Pick<Runtime, "clock" | "random">;
}

/** Throws `INVALID_OPTION` unless each app is named like its key, and all have one store. */
export function partsOf(given: Readonly<Record<string, DurableApp>>): WorkerParts {
  const entries = isFields(given) ? Object.entries(given) : [];
  const [first] = entries;
  if (first === undefined) throw noApps(given);
  const parts = planOf(...first);
  const { store, runtime } = parts;
  for (const [key, app] of entries) {
    const plan = planOf(key, app);
    if (plan.name !== key) throw otherName(key, plan.name);
    if (plan.store === undefined) throw appWithoutStore(key);
    if (plan.store !== store) throw otherStore(key, first[0]);
  }
  if (store === undefined) throw appWithoutStore(first[0]);
  return { apps: new Map(entries), store, runtime };
}

type Plan = Extract<NodeBody, { readonly kind: "graph" }>["plan"];

/** An agent has its graph beside itself. */
function planOf(key: string, app: unknown): Plan {
  if (!isObject(app) || typeof Reflect.get(app, "segment") !== "function") throw notAnApp(key, app);
  const plan = graphPlan(app) ?? graphPlan(Reflect.get(app, "graph"));
  if (plan === undefined) throw notAnApp(key, app);
  return plan;
}

function graphPlan(value: unknown): Plan | undefined {
  if (!isObject(value) || !(nodeDefinition in value)) return undefined;
  const { body } = Reflect.get(value, nodeDefinition) as { readonly body: NodeBody };
  return body.kind === "graph" ? body.plan : undefined;
}
