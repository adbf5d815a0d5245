import type { NodeSettings } from "../compose/plan/plan.js";
import type { Body } from "./body.js";
import { assemble, handle, hasStateHandlers, isFunction, type Layers, pick } from "./layers.js";
import { makeOptions } from "./options/make-options.js";
import type { NodePlace } from "./streams/stream-ports.js";
import { handleAsStream, named } from "./streams/wrap-stream.js";

/** Wraps a node in a run on values. Without state handlers, the executor applies the output key. */
export function wrapValue(core: Body, settings: NodeSettings, at: NodePlace): Body {
  const { inputKey, outputKey, options, before, after, streamBefore, streamAfter } = settings;
  const layers: Layers = { before: [], node: [], after: [] };
  const { before: first, node, after: last } = layers as Record<keyof Layers, Body[]>;
  if (before !== undefined) first.push(handle(before));
  if (streamBefore !== undefined) first.push(handleAsStream(streamBefore, at));
  if (inputKey !== undefined) node.push((value, task) => pick(value, inputKey, task));
  if (isFunction(options)) node.push(makeOptions(options));
  node.push(outputKey !== undefined && hasStateHandlers(settings) ? named(core, outputKey) : core);
  if (after !== undefined) last.push(handle(after));
  if (streamAfter !== undefined) last.push(handleAsStream(streamAfter, undefined));
  return assemble(layers);
}
