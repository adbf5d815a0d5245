import type { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { eachModes } from "../run/each/each-modes.js";
import type { EachSettings } from "../run/each/each-run.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { isSize } from "../schema/stream/size.js";
import type { StreamSource } from "../schema/stream/source.js";
import { kindOf } from "../wording.js";
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

/** How {@link each} runs its node. */
export interface EachOptions<In = never, Out = unknown> {
  /** How many items may run at a time. @default all */
  readonly concurrency?: number | undefined;
  /**
   * `"throw"`: the first item that fails stops the others, and its error, whose `index` says which it was, is that of the node. A
   * function gives a value in place of one that failed.
   *
   * @default "throw"
   */
  readonly onItemError?: "throw" | ((error: KumikoError, item: In, index: number) => Out | Promise<Out>) | undefined;
  /** Whether the results come in the order of the items; else as they finish. @default true */
  readonly ordered?: boolean | undefined;
}

/**
 * A node that runs another one for each item of a list: a function, a component, a graph, or another `each`. The results are in
 * the order of the items. On streams items begin as they arrive, and each result leaves as a chunk of its own.
 *
 * Items wait for answers, fail and are saved each on its own: what has finished does not run again.
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
): Runnable<In[], Out[]> {
  return new EachRunnable<In, Out>(toNode("each", node), checkOptions(options));
}

const names: readonly string[] = ["concurrency", "onItemError", "ordered"] satisfies (keyof EachOptions)[];

function checkOptions(options: EachOptions | undefined = {}): EachSettings {
  const given: unknown = options;
  if (!isFields(given)) throw invalidOption(`The options of each must be an object; got ${kindOf(given)}.`);
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) throw invalidOption(`each has no option "${other}". There are ${names.join(", ")}.`);
  const { concurrency = Number.POSITIVE_INFINITY, onItemError = "throw", ordered = true } = options;
  if (!isSize(concurrency)) {
    throw invalidOption(
      `The option concurrency of each must be a whole number of at least 1; got ${String(concurrency)}.`,
    );
  }
  if (onItemError !== "throw" && typeof onItemError !== "function") {
    throw invalidOption('The option onItemError of each must be "throw" or a function (error, item, index) => value.');
  }
  if (typeof ordered !== "boolean") throw invalidOption("The option ordered of each must be true or false.");
  const handler = onItemError === "throw" ? undefined : (onItemError as EachSettings["onItemError"]);
  return { concurrency, onItemError: handler, ordered };
}

/** A builder in it is compiled with the graph around it; alone, at the first run. */
class EachRunnable<in out In, out Out> implements Runnable<In[], Out[]>, HasNodeDefinition {
  readonly #node: NodeDefinition | HasNodeDefinition;
  readonly #settings: EachSettings;
  #runnable: Runnable<In[], Out[]> | undefined = undefined;

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
    };
  }

  get #alone(): Runnable<In[], Out[]> {
    this.#runnable ??= bareRunnable<In[], Out[]>(this[nodeDefinition]);
    return this.#runnable;
  }

  async invoke(input: In[], options?: RunOptions): Promise<Out[]> {
    return this.#alone.invoke(input, options);
  }

  stream(input: In[], options?: RunOptions): StreamReader<Out[]> {
    return this.#alone.stream(input, options);
  }

  async collect(input: StreamSource<In[]>, options?: RunOptions): Promise<Out[]> {
    return this.#alone.collect(input, options);
  }

  transform(input: StreamSource<In[]>, options?: RunOptions): StreamReader<Out[]> {
    return this.#alone.transform(input, options);
  }
}

/** What handlers call the run of an item: as the function or the graph is called. */
function nameOf({ body }: NodeDefinition): string {
  if (body.kind === "graph") return body.plan.name || "item";
  return (body.kind === "function" && body.call.name) || "item";
}
