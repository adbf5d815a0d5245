import { InterruptError } from "../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../components/context.js";
import { pause } from "../components/pause.js";
import type { RetryPolicy } from "../components/policies.js";
import { endsRun, KumikoError, messageOf } from "../errors.js";
import { isFields, isPromiseLike } from "../is.js";
import { Context } from "../run/context.js";
import { locate, withIndex } from "../run/failure.js";
import { defaultRetryOn } from "../run/policies/default-retry-on.js";
import { delayAfter } from "../run/policies/retry-delay.js";
import { StreamReader } from "../schema/stream/reader.js";
import { isSize } from "../schema/stream/size.js";
import type { StreamSource } from "../schema/stream/source.js";
import { kindOf } from "../wording.js";
import { defaultRuntime } from "./default-runtime.js";
import { invalidOption } from "./errors.js";
import type { RunOptions } from "./options.js";
import { hasNodeDefinition, nodeDefinition } from "./plan/node-definition.js";
import { checkPolicies, type RetrySettings, resolveRetry } from "./plan/policy-settings.js";
import type { Runnable } from "./runnable.js";

/** Options of {@link batch}. Options of a run are passed to every run. */
export interface BatchOptions<O = unknown> extends RunOptions {
  /** How many inputs may run at a time. @default all */
  readonly concurrency?: number | undefined;
  /** Retries failed runs: by a policy, or `true` for its defaults. @default no retries */
  readonly retry?: boolean | Omit<RetryPolicy, "buffer"> | undefined;
  /** Called with each result as soon as it is available. If it throws, the batch fails. */
  readonly onResult?: ((value: O, index: number) => void) | undefined;
  /** Returns the outcome of each input, like `Promise.allSettled`; a failure does not stop the other runs. @default false */
  readonly settled?: boolean | undefined;
}

/** The inputs of a batch: any iterable or stream, except a string. @internal */
export type BatchInputs<I> = (Iterable<I> | StreamSource<I>) & object;

/**
 * Runs a Runnable once per input, and returns the results in the order of the inputs. Options of a run are passed to every run.
 *
 * Inputs are taken one by one, when a run may start. The first failure stops the other runs and rejects the batch, unless
 * `settled` is true; the error keeps its `code`, `nodePath` and `cause`, and its `index` is that of the input. With `parent`, a
 * run that waits for an answer lets the others finish first.
 *
 * @example
 * const lengths = await batch(lambda({ invoke: (text: string) => text.length }), ["a", "bcd"], { concurrency: 2 });
 */
export async function batch<I, O>(
  runnable: Runnable<I, O>,
  inputs: BatchInputs<I>,
  options: BatchOptions<NoInfer<O>> & { readonly settled: true },
): Promise<PromiseSettledResult<O>[]>;
export async function batch<I, O>(
  runnable: Runnable<I, O>,
  inputs: BatchInputs<I>,
  options?: BatchOptions<NoInfer<O>> & { readonly settled?: false | undefined },
): Promise<O[]>;
export async function batch<I, O>(
  runnable: Runnable<I, O>,
  inputs: BatchInputs<I>,
  options: BatchOptions<NoInfer<O>> = {},
): Promise<unknown[]> {
  checkRunnable(runnable);
  checkIsObject(options);
  const { concurrency = Number.POSITIVE_INFINITY, retry, onResult, settled = false, ...runOptions } = options;
  checkPolicies("batch", { retry }, invalidOption);
  if (typeof retry === "object" && "buffer" in retry && retry.buffer !== undefined) {
    throw invalidOption("batch: retry.buffer is for nodes that stream, and a batch does not stream. Leave it out.");
  }
  if (typeof settled !== "boolean") {
    throw invalidOption(`batch: settled must be true or false (got ${kindOf(settled)}).`);
  }
  if (onResult !== undefined && typeof onResult !== "function") {
    throw invalidOption("batch: onResult must be a function.");
  }
  if (!isSize(concurrency)) {
    throw invalidOption(
      `batch: concurrency must be a whole number of at least 1, or Infinity (got ${String(concurrency)}).`,
    );
  }
  const source = openInputs<I>(inputs);
  const stops = [runOptions.signal, runOptions.parent?.signal].filter((signal) => signal !== undefined);
  const item = batchItem(runnable, resolveRetry(retry), runOptions.parent);
  const runs = new Batch(item, source, { concurrency, settled, onResult }, runOptions);
  const stop = (): void => runs.stop(stops.find(({ aborted }) => aborted)?.reason);
  for (const signal of stops) signal.addEventListener("abort", stop);
  try {
    if (stops.some(({ aborted }) => aborted)) stop();
    return await runs.results();
  } finally {
    for (const signal of stops) signal.removeEventListener("abort", stop);
  }
}

function checkIsObject(options: unknown): void {
  if (!isFields(options)) throw invalidOption(`batch: the options must be an object (got ${kindOf(options)}).`);
}

function checkRunnable(given: unknown): void {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  if (isObject && typeof Reflect.get(given, "invoke") === "function") return;
  throw invalidOption(`batch: the first argument must be a Runnable (got ${kindOf(given)}).`);
}

interface BatchSettings<O> {
  readonly concurrency: number;
  readonly settled: boolean;
  readonly onResult: BatchOptions<O>["onResult"];
}

class Batch<I, O> {
  readonly #run: RunItem<I, O>;
  readonly #inputs: Inputs<I>;
  readonly #settings: BatchSettings<O>;
  readonly #options: RunOptions;
  readonly #results: unknown[] = [];
  readonly #stop = new AbortController();
  /** The first run, in the order of the inputs, that waits for an answer. */
  #waiting: { readonly index: number; readonly error: unknown } | undefined = undefined;
  #open = 0;
  #onChange: (() => void) | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;
  #reject: ((error: unknown) => void) | undefined = undefined;

  constructor(run: RunItem<I, O>, inputs: Inputs<I>, settings: BatchSettings<O>, options: RunOptions) {
    this.#run = run;
    this.#inputs = inputs;
    this.#settings = settings;
    this.#options = options;
  }

  /** Rejects as soon as a run fails or the batch is stopped, without waiting for other runs and inputs. */
  results(): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#failure !== undefined) {
        reject(this.#failure.error);
        return;
      }
      this.#runAll().then(
        () => (this.#waiting === undefined ? resolve(this.#results) : reject(this.#waiting.error)),
        (error) => this.#fail(error),
      );
    });
  }

  /** Stops the batch with the reason of an abort. */
  stop(reason: unknown): void {
    this.#end(reason, reason);
  }

  async #runAll(): Promise<void> {
    for (let index = 0; ; index++) {
      while (this.#open >= this.#settings.concurrency) await this.#change();
      if (this.#stop.signal.aborted) return;
      const next = this.#inputs.next();
      const { done, value } = isPromiseLike(next) ? await next : next;
      if (this.#stop.signal.aborted) return;
      if (done === true) break;
      this.#results.push(undefined);
      void this.#start(index, value);
    }
    while (this.#open > 0) await this.#change();
  }

  async #start(index: number, input: I): Promise<void> {
    this.#open++;
    try {
      this.#succeeded(index, await this.#run(input, this.#optionsOf(index)));
    } catch (error) {
      this.#failed(index, error);
    }
    this.#open--;
    this.#onChange?.();
  }

  /** Adds the signal, and a key for each child run of `parent`. */
  #optionsOf(index: number): RunOptions & { readonly signal: AbortSignal } {
    const { signal } = this.#stop;
    const { parent, key = "batch" } = this.#options;
    return parent === undefined ? { ...this.#options, signal } : { ...this.#options, signal, key: `${key}:${index}` };
  }

  #succeeded(index: number, value: O): void {
    const { settled, onResult } = this.#settings;
    this.#results[index] = settled ? { status: "fulfilled", value } : value;
    if (this.#stop.signal.aborted) return;
    try {
      onResult?.(value, index);
    } catch (error) {
      this.#fail(error);
    }
  }

  #failed(index: number, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { parent } = this.#options;
    const named = atInput(error, index, parent);
    const waits = parent !== undefined && InterruptError.is(error);
    if (!waits && this.#settings.settled && !endsRun(error))
      this.#results[index] = { status: "rejected", reason: named };
    else if (!waits) this.#fail(named);
    else if (this.#waiting === undefined || index < this.#waiting.index) this.#waiting = { index, error: named };
  }

  #fail(error: unknown): void {
    this.#end(error, new DOMException("Stopped, because another run of the batch has failed.", "AbortError"));
  }

  #end(error: unknown, reason: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#failure = { error };
    this.#reject?.(error);
    this.#stop.abort(reason);
    this.#inputs.close(reason);
  }

  /** Resolves when a run has ended. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }
}

interface Inputs<I> {
  next(): IteratorResult<I, unknown> | Promise<IteratorResult<I, unknown>>;
  /** Stops taking inputs. Does not wait and does not throw. */
  close(reason: unknown): void;
}

function openInputs<I>(inputs: BatchInputs<I>): Inputs<I> {
  const given: unknown = inputs;
  if (typeof given !== "object" || given === null) throw invalidInputs(given);
  if (Symbol.asyncIterator in given || "getReader" in given) {
    const source = StreamReader.from(inputs as StreamSource<I>).takeSource();
    return { next: () => source.next(), close: (reason) => source.cancel(reason) };
  }
  if (!(Symbol.iterator in given)) throw invalidInputs(given);
  const iterator = (inputs as Iterable<I>)[Symbol.iterator]();
  return { next: () => iterator.next(), close: () => leave(iterator) };
}

function invalidInputs(given: unknown): KumikoError {
  return invalidOption(
    `batch: the inputs must be an array, another iterable or a stream (got ${kindOf(given)}). Call invoke for one input.`,
  );
}

/** Closes an iterator. Its errors are ignored, because the batch already rejects with another one. */
function leave(iterator: Iterator<unknown>): void {
  try {
    iterator.return?.();
  } catch {
    // the batch has already failed
  }
}

/** A copy of an error that names its input, for the caller. The run and its handlers keep the original. */
function atInput(thrown: unknown, index: number, parent: RunOptions["parent"]): unknown {
  const which = `Input ${index} of the batch ${InterruptError.is(thrown) ? "waits" : "failed"}:`;
  if (KumikoError.is(thrown)) {
    const copy = withIndex(thrown, `${which} ${thrown.message}`, index);
    // an enclosing graph must know whether the path begins with its own
    const root = parent instanceof Context ? parent.environment.root : copy;
    return copy.nodePath.length === 0 ? copy : locate(copy, copy.nodePath, root);
  }
  if (thrown instanceof DOMException) {
    return Object.assign(new DOMException(`${which} ${thrown.message}`, thrown.name), { index });
  }
  const error = new KumikoError("NODE_FAILED", `${which} ${messageOf(thrown)}`, { cause: thrown });
  return Object.assign(error, { index });
}

/** Runs one input of a batch. */
type RunItem<I, O> = (input: I, options: RunOptions & { readonly signal: AbortSignal }) => Promise<O>;

/** Runs one input, with retries if there is a policy. A run that waits for an answer, or was aborted, is not retried. */
function batchItem<I, O>(
  runnable: Runnable<I, O>,
  retry: RetrySettings | undefined,
  parent: NodeContext | undefined,
): RunItem<I, O> {
  if (retry === undefined) return (input, options) => runnable.invoke(input, options);
  const runtime = runtimeOf(runnable, parent);
  const retryOn = retry.retryOn ?? defaultRetryOn;
  return async (input, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runnable.invoke(input, options);
      } catch (error) {
        const isOver =
          attempt >= retry.attempts || options.signal.aborted || InterruptError.is(error) || endsRun(error);
        const delayMs = isOver || !retryOn(error, { attempt }) ? undefined : delayAfter(error, attempt, retry, runtime);
        if (delayMs === undefined) throw error;
        await pause(delayMs, runtime.clock, options.signal);
      }
    }
  };
}

/** The runtime of the graph that is run, or else of the enclosing node. */
function runtimeOf(runnable: object, parent: NodeContext | undefined): typeof defaultRuntime {
  const body = hasNodeDefinition(runnable) ? runnable[nodeDefinition].body : undefined;
  if (body?.kind === "graph" && body.plan.runtime !== defaultRuntime) return body.plan.runtime;
  return parent instanceof Context ? parent.runtime : defaultRuntime;
}
