import { describePlan, type GraphInfo } from "../compose/plan/describe.js";
import { type HasNodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { checkNames } from "../compose/plan/picture/option-names.js";
import { pictureOf } from "../compose/plan/picture/picture.js";
import { type PictureTrace, TraceMarks } from "../compose/plan/picture/trace-marks.js";
import { toDot, xmlText } from "./dot.js";
import { invalidPicture } from "./errors.js";
import { graphviz } from "./graphviz.js";
import { type PictureTheme, themes } from "./theme.js";

/** Options of {@link toSvg}. */
export interface SvgOptions {
  /** What happened: nodes that are done, failed, waiting or skipped have colors of their own; thick edges show the way. */
  readonly trace?: PictureTrace | undefined;
  /** @default "light" */
  readonly theme?: PictureTheme | undefined;
}

/** A compiled graph: it can say what it is made of. */
interface Described {
  graphInfo(): GraphInfo;
}

/**
 * The picture of a graph, compiled or not, as an SVG document: it needs nothing from outside and has no script. The same graph gives the same
 * bytes each time. Needs the package `@viz-js/viz`.
 *
 * @example
 * const app = new Chain<string>().append((text) => text.length, { key: "count" }).compile();
 * const svg = await toSvg(app, { theme: "dark" });
 */
export async function toSvg(
  graph: Described | GraphInfo | HasNodeDefinition,
  options: SvgOptions = {},
): Promise<string> {
  checkNames("toSvg", options, ["trace", "theme"]);
  const { trace, theme = "light" } = options;
  if (!Object.hasOwn(themes, theme)) {
    throw invalidPicture(`theme must be one of ${Object.keys(themes).join(", ")}; got "${String(theme)}".`);
  }
  const info = infoOf(graph);
  const picture = pictureOf(info, trace === undefined ? undefined : new TraceMarks(trace));
  return withTitle(await graphviz.render(toDot(picture, themes[theme])), info.name || "graph");
}

function infoOf(graph: Described | GraphInfo | HasNodeDefinition): GraphInfo {
  if (typeof graph === "object" && graph !== null) {
    if ("graphInfo" in graph) return graph.graphInfo();
    const body = nodeDefinition in graph ? graph[nodeDefinition].body : undefined;
    if (body?.kind === "graph") return describePlan(body.plan);
    if ("nodes" in graph && isInfo(graph)) return graph;
  }
  throw invalidPicture("give it a graph, or what graphInfo() of a compiled one gives.");
}

function isInfo({ nodes, edges }: GraphInfo): boolean {
  return (
    Array.isArray(nodes) &&
    Array.isArray(edges) &&
    nodes.every((node) => typeof node?.key === "string" && (node.graph === undefined || isInfo(node.graph))) &&
    edges.every((edge) => typeof edge?.from === "string" && typeof edge.to === "string")
  );
}

/**
 * With a title for those who cannot see it. Without the declaration, which names a document type elsewhere; without comments and
 * tool tips, which show internal ids.
 */
function withTitle(svg: string, title: string): string {
  const body = svg.slice(svg.indexOf("<svg")).replaceAll(/<!--.*?-->\n?/gs, "");
  const text = xmlText(title).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return body
    .replaceAll(/<title>.*?<\/title>\n?/gs, "")
    .replace(/^<svg ([^>]*)>/, (_found, attributes) => `<svg role="img" ${attributes}>\n<title>${text}</title>`);
}
