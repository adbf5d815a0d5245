import { checkOptions } from "../check-options.js";
import type { KumikoError } from "../errors.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { eachModes } from "../run/each/each-modes.js";
import type { EachSettings } from "../run/each/each-run.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { isSize } from "../schema/stream/size.js";
import type { StreamSource } from "../schema/stream/source.js";
import { invalidOption } from "./errors.js";
import { toNode } from "./node.js";
import type { RunOptions } from "./options.js";
import { lonePlan } from "./plan/lone-plan.js";
import {
  type HasNodeDefinition,
  hasNodeDefinition,
  type NodeDefinition,
  nodeDefinition,
} from "./plan/node-definition.js";
import type { Runnable } from "./runnable.js";
import type { NodeLike } from "./types/node-like.js";

/** Options of {@link each}. */
export interface EachOptions<In = never, Out = unknown> {
  /** How many items may run at a time. @default all */
  readonly concurrency?: number | undefined;
  /**
   * With `"throw"`, the first failed item stops the others and fails the node; the `index` of the error is that of the item. A
   * function returns a value in place of the failed result.
   *
   * @default "throw"
   */
  readonly onItemError?: "throw" | ((error: KumikoError, item: In, index: number) => Out | Promise<Out>) | undefined;
  /** Whether results are in the order of the items, or in the order in which they finish. @default true */
  readonly ordered?: boolean | undefined;
}

/**
 * A node that runs another node for each item of an array: a function, a component, a graph, or another `each`. The results are in
 * the order of the items. On streams, items start as they arrive, and each result is a chunk of its own.
 *
 * Each item waits for answers, fails and is saved on its own: finished items do not run again.
 *
 * @example
 * const app = new Chain<string[]>()
 *   .append(each((city) => readStation(city), { concurrency: 4 }))
 *   .compile();
 * console.log(await app.invoke(["Oslo", "Rome"]));
 */
export function each<In, Out>(
  node: NodeLike<In, Out, undefined, unknown>,
  options?: EachOptions<NoInfer<In>, NoInfer<Out>>,
): Runnable<readonly In[], Out[]> {
  return new EachRunnable<In, Out>(toNode("each", node), settingsOf(options));
}

const names: readonly string[] = ["concurrency", "onItemError", "ordered"] satisfies (keyof EachOptions)[];

function settingsOf(options: EachOptions | undefined = {}): EachSettings {
  checkOptions("each", options, names);
  const { concurrency = Number.POSITIVE_INFINITY, onItemError = "throw", ordered = true } = options;
  if (!isSize(concurrency)) {
    throw invalidOption(
      `each: concurrency must be a whole number of at least 1, or Infinity (got ${String(concurrency)}).`,
    );
  }
  if (onItemError !== "throw" && typeof onItemError !== "function") {
    throw invalidOption('each: onItemError must be "throw" or a function (error, item, index) => value.');
  }
  if (typeof ordered !== "boolean") throw invalidOption("each: ordered must be true or false.");
  const handler = onItemError === "throw" ? undefined : (onItemError as EachSettings["onItemError"]);
  return { concurrency, onItemError: handler, ordered };
}

/** A builder inside is compiled with the enclosing graph; without one, at the first run. */
class EachRunnable<in out In, out Out> implements Runnable<readonly In[], Out[]>, HasNodeDefinition {
  readonly #node: NodeDefinition | HasNodeDefinition;
  readonly #settings: EachSettings;
  #runnable: Runnable<readonly In[], Out[]> | undefined = undefined;

  constructor(node: NodeDefinition | HasNodeDefinition, settings: EachSettings) {
    this.#node = node;
    this.#settings = settings;
  }

  get [nodeDefinition](): NodeDefinition {
    const node = this.#node;
    const definition = hasNodeDefinition(node) ? node[nodeDefinition] : node;
    const plan = lonePlan({ ...definition, name: nameOf(definition) });
    return {
      component: "lambda",
      type: "each",
      concat: "list",
      body: { kind: "each", plan, modes: eachModes(this.#settings) },
      describe: definition.describe,
    };
  }

  get #alone(): Runnable<readonly In[], Out[]> {
    this.#runnable ??= bareRunnable<readonly In[], Out[]>(this[nodeDefinition]);
    return this.#runnable;
  }

  async invoke(input: readonly In[], options?: RunOptions): Promise<Out[]> {
    return this.#alone.invoke(input, options);
  }

  stream(input: readonly In[], options?: RunOptions): StreamReader<Out[]> {
    return this.#alone.stream(input, options);
  }

  async collect(input: StreamSource<readonly In[]>, options?: RunOptions): Promise<Out[]> {
    return this.#alone.collect(input, options);
  }

  transform(input: StreamSource<readonly In[]>, options?: RunOptions): StreamReader<Out[]> {
    return this.#alone.transform(input, options);
  }
}

/** The name of an item's run for handlers: that of the function or graph. */
function nameOf({ body }: NodeDefinition): string {
  if (body.kind === "graph") return body.plan.name || "item";
  return (body.kind === "function" && body.call.name) || "item";
}
