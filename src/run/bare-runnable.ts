import type { RunOptions } from "../compose/options.js";
import { type LoneDefinition, lonePlan } from "../compose/plan/lone-plan.js";
import { type HasNodeDefinition, type NodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import type { Runnable } from "../compose/runnable.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { Program } from "./program.js";
import { runForStream, runForValue, runNested } from "./start.js";

/** A single node as a runnable: what `lambda`, `mapChunks`, `passthrough` and a tools node are. */
export class BareRunnable<in I, out O> implements Runnable<I, O>, HasNodeDefinition {
  readonly [nodeDefinition]: NodeDefinition;
  readonly #program: Program;

  constructor(definition: LoneDefinition) {
    this[nodeDefinition] = definition;
    this.#program = new Program(lonePlan(definition), runNested);
  }

  invoke(input: I, options?: RunOptions): Promise<O> {
    return runForValue(this.#program, "invoke", input, options) as Promise<O>;
  }

  stream(input: I, options?: RunOptions): StreamReader<O> {
    return runForStream(this.#program, "stream", input, options) as StreamReader<O>;
  }

  collect(input: StreamSource<I>, options?: RunOptions): Promise<O> {
    return runForValue(this.#program, "collect", input, options) as Promise<O>;
  }

  transform(input: StreamSource<I>, options?: RunOptions): StreamReader<O> {
    return runForStream(this.#program, "transform", input, options) as StreamReader<O>;
  }
}

/** Makes a runnable of a single node. */
export function bareRunnable<I, O>(definition: LoneDefinition): Runnable<I, O> & HasNodeDefinition {
  return new BareRunnable<I, O>(definition);
}
