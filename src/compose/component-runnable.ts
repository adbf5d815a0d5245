import { checkOptions } from "../check-options.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { invalidOption } from "./errors.js";
import { toNode } from "./node.js";
import { hasNodeDefinition } from "./plan/node-definition.js";
import type { Runnable } from "./runnable.js";
import type { ComponentNode } from "./types/node-like.js";

/** Options of {@link runnable}. */
export interface ComponentRunnableOptions {
  /** Its name in traces, and as a child of another run. @default "" */
  readonly name?: string | undefined;
}

/**
 * Makes a Runnable from a component: a model, template, retriever, embedder, indexer, loader or transformer. With `parent: ctx`
 * it runs as a child of the caller, which handlers see.
 *
 * @example
 * const ask = runnable(model, { name: "draft" });
 * const answer = lambda({
 *   invoke: (question: string, ctx) => ask.invoke([userMessage(question)], { parent: ctx }),
 * });
 */
export function runnable<In, Out>(
  component: ComponentNode<In, Out>,
  options: ComponentRunnableOptions = {},
): Runnable<In, Out> {
  checkOptions("runnable", options, ["name"]);
  const { name = "" } = options;
  if (typeof component !== "object" || component === null || !("component" in component)) {
    throw invalidOption("runnable needs a component. For a plain function, use lambda({ invoke }).");
  }
  const node = toNode(name, component);
  if (hasNodeDefinition(node))
    throw invalidOption("runnable needs a component, but this is already a Runnable. Use it as it is.");
  return bareRunnable<In, Out>({ ...node, name });
}
