import type { AgentEvent } from "../../agents/agent-event.js";
import { type MastraAgentResult, type MastraAgentStep, mastraStep } from "./agent-result.js";
import { StepReader } from "./read-steps.js";

/** Functions that a call is given. */
export interface CallHooks {
  /** Whether there are any. */
  readonly isUsed: boolean;
  readonly onStepFinish: ((step: MastraAgentStep & { readonly runId: string }) => unknown) | undefined;
  readonly onFinish: ((result: MastraAgentResult<never>) => unknown) | undefined;
  readonly onError: ((event: { readonly error: Error }) => unknown) | undefined;
}

/** A run whose hooks are called. */
interface HookedRun {
  readonly runId: string;
  readonly hasOutput: boolean;
  log(message: string, error: unknown): void;
}

type Settled = Omit<MastraAgentResult<unknown>, "error"> & { readonly error: Error | undefined };

/** Calls the functions of a call as its run goes on. One that throws is told to the logger: it does not stop the run. */
export class StepHooks {
  readonly #run: HookedRun;
  readonly #hooks: CallHooks;
  readonly #reader = new StepReader();
  #count = 0;

  constructor(run: HookedRun, hooks: CallHooks) {
    this.#run = run;
    this.#hooks = hooks;
  }

  async add(event: AgentEvent): Promise<void> {
    const { onStepFinish } = this.#hooks;
    if (onStepFinish === undefined) return;
    const step = this.#reader.add(event);
    if (step === undefined) return;
    const { runId } = this.#run;
    await this.#call("onStepFinish", () => onStepFinish({ ...mastraStep(step, this.#count++, this.#run), runId }));
  }

  /** A run that waits has not finished. */
  async end(settled: Settled): Promise<void> {
    const { onFinish, onError } = this.#hooks;
    const { error, finishReason } = settled;
    if (error !== undefined && onError !== undefined) await this.#call("onError", () => onError({ error }));
    else if (error !== undefined) this.#run.log("A run failed", error);
    else if (finishReason !== "suspended" && finishReason !== "aborted" && onFinish !== undefined)
      await this.#call("onFinish", () => onFinish(settled as never));
  }

  async #call(name: string, call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#run.log(`${name} failed`, error);
    }
  }
}
