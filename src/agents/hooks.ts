import { OnDemand } from "../schema/on-demand.js";
import type { AgentParts } from "./agent-parts.js";
import type { OngoingTurn } from "./turn.js";

/** Most agents have no hooks. */
const runner = new OnDemand(() => import("./run-hooks.js"));

type Runner = NonNullable<typeof runner.part>;

/** What runs the hooks of the agent that answers now: it is loaded before its first step. `undefined` without hooks. */
export function turnHooks({ parts }: OngoingTurn): Runner | undefined {
  return parts.hasHooks ? runner.part : undefined;
}

/** Whether hooks that an agent has can run. */
export function hasHooksLoaded({ hasHooks }: AgentParts): boolean {
  return !hasHooks || runner.part !== undefined;
}

export function loadHooks(): Promise<Runner> {
  return runner.load();
}
