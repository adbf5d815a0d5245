import { waitsAt } from "../../checkpoint/pause/interrupt.js";
import type { NodeFailure } from "../../components/policies.js";
import type { NodePolicies } from "../../compose/plan/policy-settings.js";
import { endsRun, type KumikoError, messageOf } from "../../errors.js";
import { isOfStore } from "../node-failure.js";
import { settleKept } from "../saved/kept-stream.js";
import { abortError } from "../scope.js";
import type { Task } from "../task.js";
import { Attempt, type AttemptSettings } from "./attempt.js";
import { causesOf } from "./causes-of.js";
import { defaultRetryOn } from "./default-retry-on.js";
import type { GivenInput } from "./given-input.js";
import { delayAfter } from "./retry-delay.js";
import type { Tried } from "./tried.js";

/** The attempts of one task. After a failure it retries, falls back, or fails. */
export class Attempts implements Tried {
  attempts = 0;
  fellBack = false;
  readonly given: GivenInput;
  readonly #task: Task;
  readonly #policies: NodePolicies;
  readonly #settings: AttemptSettings;
  #current: Attempt | undefined = undefined;

  constructor(task: Task, given: GivenInput, policies: NodePolicies, settings: AttemptSettings) {
    this.#task = task;
    this.given = given;
    this.#policies = policies;
    this.#settings = settings;
    task.tried = this;
  }

  get inputFailure(): { readonly error: unknown } | undefined {
    return this.given.failure;
  }

  wholeInput(): unknown {
    return this.given.whole();
  }

  begin(): Attempt {
    this.attempts += 1;
    if (this.attempts > 1) {
      this.#task.openedInvocation?.repeat(this.#settings.retains);
      if (this.#task.hasChangedState) this.#task.reportKeptState();
    }
    this.#current = new Attempt(this.#task, this.attempts, this.#settings);
    if (!this.#mayGoOn) this.given.forget();
    return this.#current;
  }

  /** Whether the input may be needed again. */
  get #mayGoOn(): boolean {
    const { retry, fallback } = this.#policies;
    return fallback !== undefined || this.attempts < (retry?.attempts ?? 1) || this.#handlesFailure;
  }

  get #handlesFailure(): boolean {
    const { owner, index } = this.#task;
    return owner.handlesFailure(index);
  }

  /** The current attempt has produced its whole output. */
  succeed(): void {
    this.#current?.end();
  }

  /** The output was cancelled. */
  leave(reason: unknown): void {
    this.#current?.end(reason ?? abortError("The stream of this node was left."));
  }

  /**
   * An attempt has failed. Resolves to `undefined` when the next one may begin, or to the value of `fallback`; rejects if the
   * task fails.
   */
  async failed(thrown: unknown, mayRepeat: boolean): Promise<{ readonly value: unknown } | undefined> {
    const task = this.#task;
    const error = this.#mayGoOn && task.owner.isStop(thrown) ? await this.#failureBeside(thrown) : thrown;
    if (this.given.failure !== undefined) throw this.given.failure.error;
    this.#throwUnlessFailure(error);
    // the streams inside say where it began, and are forgotten with the attempt
    const origin = await task.owner.openStreams.findOrigin(error);
    this.#throwUnlessFailure(error);
    this.#current?.end(attemptFailed());
    if (mayRepeat && (await this.#waitForNext(error))) return undefined;
    const { fallback } = this.#policies;
    if (fallback === undefined) throw origin;
    const failure = await this.#failureOf(origin);
    task.withdrawStop();
    try {
      const value = await fallback(failure as NodeFailure<never>, task as never);
      this.fellBack = true;
      if (task.hasStopped) return { value };
      task.span?.event({ kind: "fallback", error });
      return { value };
    } catch (thrown) {
      this.#throwUnlessFailure(thrown);
      throw withCause(thrown, error, failure.error);
    }
  }

  /** Waits for the retry delay; resolves to whether there is a next attempt. */
  async #waitForNext(error: unknown): Promise<boolean> {
    const { retry } = this.#policies;
    const { attempts: attempt } = this;
    if (retry === undefined || attempt >= retry.attempts) return false;
    const retryOn = retry.retryOn ?? defaultRetryOn;
    if (!retryOn(error, { attempt })) return false;
    const { runtime, span } = this.#task;
    const delayMs = delayAfter(error, attempt, retry, runtime);
    if (delayMs === undefined) return false;
    span?.event({ kind: "retry", attempt, error, delayMs });
    await this.#wait(delayMs);
    return true;
  }

  /** Ends early if the run is aborted or pauses; in the latter case a resume runs the node again. */
  async #wait(ms: number): Promise<void> {
    const task = this.#task;
    if (ms > 0 && !task.owner.expectsStop) {
      const { clock } = task.runtime;
      const { signal } = task;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clock.clearTimer(timer);
          signal.removeEventListener("abort", done);
          unlisten();
          resolve();
        };
        const timer = clock.setTimer(done, ms);
        signal.addEventListener("abort", done);
        const unlisten = task.environment.onHalt(done);
      });
    }
    task.scope.throwIfAborted();
    if (!task.owner.expectsStop) return;
    task.noteStop();
    throw waitsAt(task.address, [], task.environment);
  }

  /**
   * A question in a stream inside arrives here before the nodes beside it have ended: resolves to the failure of one of them,
   * if there is one.
   */
  async #failureBeside(error: unknown): Promise<unknown> {
    const task = this.#task;
    try {
      await settleKept(task.openedInvocation, task.settle());
      return error;
    } catch (failure) {
      return failure;
    }
  }

  /**
   * Interrupts, aborts and stops bypass every policy, and so do the store of the run and a tape without the answer. The error decides, not whether
   * something beside it waits for an answer.
   */
  #throwUnlessFailure(error: unknown): void {
    const task = this.#task;
    task.scope.throwIfAborted();
    if (task.owner.isStop(error) || isOfStore(error) || endsRun(error)) {
      this.#current?.end();
      throw error;
    }
  }

  async #failureOf(error: unknown): Promise<NodeFailure> {
    const { owner, index } = this.#task;
    const { key } = owner.node(index);
    const located = (await owner.locateFailure(error, this.#task)) as KumikoError;
    return Object.freeze({ node: key, input: await this.given.whole(), error: located, attempts: this.attempts });
  }
}

/** The reason with which leftover work of failed attempts is aborted. It is the same for all, as an error with its stack costs microseconds. */
function attemptFailed(): DOMException {
  reasons.failed ??= abortError("This attempt has failed.");
  return reasons.failed;
}

const reasons: { failed?: DOMException } = {};

/** The error of a `fallback`, with the failure that it should have replaced as its innermost cause. */
function withCause(thrown: unknown, ...[failed, located]: readonly [unknown, unknown]): unknown {
  const causes = causesOf(thrown);
  if (causes.includes(failed) || causes.includes(located)) return thrown;
  const last = causes.at(-1);
  if (last instanceof Error && Object.isExtensible(last) && last.cause === undefined) {
    Object.defineProperty(last, "cause", { value: failed, configurable: true, writable: true });
    return thrown;
  }
  return new Error(messageOf(thrown), { cause: failed });
}
