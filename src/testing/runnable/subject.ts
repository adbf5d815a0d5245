import type { NodeContext } from "../../components/context.js";
import type { RunOptions } from "../../compose/options.js";
import type { Runnable } from "../../compose/runnable.js";
import type { ConformanceCheck } from "../conformance.js";
import { deepEqual } from "../deep-equal.js";
import { differs } from "../errors.js";

/** A function that a Runnable under test must call with its `ctx`, and await, once in every run. The checks observe and delay runs with it. */
export type Work = (ctx: NodeContext) => Promise<void>;

/** Makes a fresh Runnable that calls `work` once in every run. */
export type MakeRunnable<I, O> = (work: Work) => Runnable<I, O>;

/** A case of `runnableConformance`. */
export interface RunnableCase<I, O> {
  /** The input of each run. */
  readonly input: I;
  /** The expected output. */
  readonly output: O;
  /** The input as chunks. @default the whole input as one chunk */
  readonly chunks?: readonly I[] | undefined;
  /** Compares outputs. @default deep equality, in which an undefined field equals a missing one */
  readonly equals?: ((actual: O, expected: O) => boolean) | undefined;
}

export type RunnableMode = "invoke" | "stream" | "collect" | "transform";
export const modes: readonly RunnableMode[] = ["invoke", "stream", "collect", "transform"];

/** A new Runnable under test, with the means to run it and to observe its runs. */
export class Subject<I, O> {
  readonly runnable: Runnable<I, O>;
  readonly case: RunnableCase<I, O>;
  /** The contexts of all calls of `work` so far. */
  readonly contexts: NodeContext[] = [];
  /** The signals of these contexts, read during the call, as nodes do. */
  readonly signals: AbortSignal[] = [];
  /** Whether `work` stays pending, whatever its signal says. */
  isHeld = false;
  /** The error that `work` throws, if any. */
  failure: Error | undefined = undefined;
  #release: (() => void)[] = [];

  constructor(make: MakeRunnable<I, O>, runnableCase: RunnableCase<I, O>) {
    this.case = runnableCase;
    this.runnable = make((ctx) => this.#work(ctx));
  }

  get calls(): number {
    return this.contexts.length;
  }

  /** Runs it in one mode, and returns the whole output. */
  run(mode: RunnableMode, options?: RunOptions): Promise<O> {
    const { runnable } = this;
    switch (mode) {
      case "invoke":
        return runnable.invoke(this.case.input, options);
      case "stream":
        return runnable.stream(this.case.input, options).concat();
      case "collect":
        return runnable.collect(this.inputStream(), options);
      case "transform":
        return runnable.transform(this.inputStream(), options).concat();
      default:
        return mode satisfies never;
    }
  }

  async *inputStream(): AsyncGenerator<I, void> {
    yield* this.case.chunks ?? [this.case.input];
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const release of this.#release) release();
  }

  expectOutput(actual: O, what: string): void {
    const { output, equals = deepEqual } = this.case;
    if (!equals(actual, output)) throw differs(what, actual, output);
  }

  async #work(ctx: NodeContext): Promise<void> {
    this.contexts.push(ctx);
    this.signals.push(ctx.signal);
    if (this.failure !== undefined) throw this.failure;
    if (this.isHeld) await new Promise<void>((resolve) => this.#release.push(resolve));
  }
}

/** Creates a check, which begins with a new subject. */
export type Checks<I, O> = (name: string, run: (subject: Subject<I, O>) => Promise<void>) => ConformanceCheck;
