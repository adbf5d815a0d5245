import type { NodeContext } from "../components/context.js";
import { Context } from "../run/context.js";
import type { AgentState } from "./agent-state.js";

/** What a caller that can be entered again remembers of an agent that it has called: all that a result is made of. */
export class ChildMemory {
  readonly #parent: Context;
  readonly #name: string;

  private constructor(parent: Context, name: string) {
    this.#parent = parent;
    this.#name = name;
  }

  /** `undefined` if the caller cannot be resumed. */
  static in(parent: NodeContext | undefined, key: string): ChildMemory | undefined {
    if (!(parent instanceof Context) || parent.environment.savedRuns === undefined) return undefined;
    return new ChildMemory(parent, parent.invocation.nextChild(`~agent/${key}`));
  }

  remember(state: AgentState): void {
    this.#parent.invocation.remember(this.#name, state);
  }

  recall(): AgentState | undefined {
    return this.#parent.invocation.recall(this.#name)?.value as AgentState | undefined;
  }
}
