import type { GraphInfo } from "../callbacks/graph-info.js";
import { checkOptions } from "../check-options.js";
import { describePlan } from "../compose/plan/describe.js";
import { type HasNodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { type PictureTrace, TraceMarks } from "../compose/plan/picture/trace-marks.js";
import { layoutGraph } from "../viewer/layout/layout-graph.js";
import { drawLevel } from "./draw-level.js";
import { invalidPicture } from "./errors.js";
import { type PictureTheme, themes } from "./theme.js";
import { element, escaped, xmlText } from "./xml.js";

/** Options of {@link toSvg}. */
export interface SvgOptions {
  /** The trace of a run. Colors show nodes that are done, failed, waiting or skipped; thick edges show the path taken. */
  readonly trace?: PictureTrace | undefined;
  /** The colors of the picture. @default "light" */
  readonly theme?: PictureTheme | undefined;
}

/** Around the graph. */
const margin = 16;

/** A compiled graph, which can describe itself. @internal */
interface Described {
  graphInfo(): GraphInfo;
}

/**
 * Draws a graph, compiled or not, as a self-contained SVG document without scripts. The same graph always has the same bytes,
 * and the layout that it has in the viewer.
 *
 * @example
 * const app = new Chain<string>().append((text) => text.length, { key: "count" }).compile();
 * const svg = await toSvg(app, { theme: "dark" });
 */
export async function toSvg(
  graph: Described | GraphInfo | HasNodeDefinition,
  options: SvgOptions = {},
): Promise<string> {
  checkOptions("toSvg", options, ["trace", "theme"]);
  const { trace, theme = "light" } = options;
  if (!Object.hasOwn(themes, theme)) {
    throw invalidPicture(`theme must be one of ${Object.keys(themes).join(", ")} (got "${String(theme)}").`);
  }
  const info = infoOf(graph);
  const colors = themes[theme];
  const marks = trace === undefined ? undefined : new TraceMarks(trace);
  const level = layoutGraph(info);
  const [width, height] = [level.width + 2 * margin, level.height + 2 * margin];
  return [
    `<svg role="img" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(xmlText(info.name || "graph"))}</title>`,
    element("path", { d: `M0 0H${width}V${height}H0z`, fill: colors.background }),
    `<g transform="translate(${margin} ${margin})">`,
    ...drawLevel(level, info, "", { colors, marks }),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function infoOf(graph: Described | GraphInfo | HasNodeDefinition): GraphInfo {
  if (typeof graph === "object" && graph !== null) {
    if ("graphInfo" in graph) return graph.graphInfo();
    const body = nodeDefinition in graph ? graph[nodeDefinition].body : undefined;
    if (body?.kind === "graph") return describePlan(body.plan);
    if ("nodes" in graph && isInfo(graph)) return graph;
  }
  throw invalidPicture("the first argument must be a graph, or the result of graphInfo() of a compiled one.");
}

function isInfo({ nodes, edges }: GraphInfo): boolean {
  return (
    Array.isArray(nodes) &&
    Array.isArray(edges) &&
    nodes.every((node) => typeof node?.key === "string" && (node.graph === undefined || isInfo(node.graph))) &&
    edges.every((edge) => typeof edge?.from === "string" && typeof edge.to === "string")
  );
}
