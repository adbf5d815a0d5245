import type { GraphInfo } from "../../callbacks/graph-info.js";
import { layoutGraph } from "./layout-graph.js";
import type { Level } from "./level.js";

/** A graph with more nodes is a list. */
const mostNodes = 2_000;
const known = new WeakMap<GraphInfo, Level>();

/** The layout of a graph, made once; `undefined` for a graph that is too large for a picture. `opened`: see `layoutGraph`. */
export function graphPicture(info: GraphInfo, opened: readonly string[] = []): Level | undefined {
  if (info.nodes.length > mostNodes) return undefined;
  if (opened.length > 0) return layoutGraph(info, { opened: new Set(opened) });
  const level = known.get(info) ?? layoutGraph(info);
  known.set(info, level);
  return level;
}

/** The same, for views that have a level if there is one. */
export function levelOf(info: GraphInfo): { readonly level?: Level } {
  const level = graphPicture(info);
  return level === undefined ? {} : { level };
}
