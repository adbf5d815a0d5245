import type { GraphInfo } from "../../callbacks/graph-info.js";
import { layoutGraph } from "./layout-graph.js";
import { hasFolded, type Level } from "./level.js";

/** A graph with more nodes is a list. */
const mostNodes = 2_000;
const known = new WeakMap<GraphInfo, Level>();

/** The layout of a graph, made once; `undefined` for a graph that is too large for a picture. `opened`: see `layoutGraph`. */
export function graphPicture(info: GraphInfo, opened: readonly string[] | "all" = []): Level | undefined {
  if (info.nodes.length > mostNodes) return undefined;
  if (opened === "all") return nodesIn(info) > mostNodes ? undefined : layoutGraph(info, { opened });
  if (opened.length > 0) return layoutGraph(info, { opened: new Set(opened) });
  const level = known.get(info) ?? layoutGraph(info);
  known.set(info, level);
  return level;
}

/** With those of inner graphs. */
function nodesIn({ nodes }: GraphInfo): number {
  return nodes.reduce((sum, { graph }) => sum + (graph === undefined ? 1 : 1 + nodesIn(graph)), 0);
}

/** The same, for views that have a level if there is one. */
export function levelOf(info: GraphInfo): { readonly level?: Level } {
  const level = graphPicture(info);
  return level === undefined ? {} : { level };
}

/** What a saved page has beside the level: the picture in which nothing is folded, where something is. */
export function openedOf(info: GraphInfo): { readonly opened?: Level } {
  const level = graphPicture(info);
  const opened = level !== undefined && hasFolded(level) ? graphPicture(info, "all") : undefined;
  return opened === undefined ? {} : { opened };
}
