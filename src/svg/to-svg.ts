import type { Viz } from "@viz-js/viz";
import type { GraphInfo } from "../callbacks/graph-info.js";
import { checkOptions } from "../check-options.js";
import { describePlan } from "../compose/plan/describe.js";
import { type HasNodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { pictureOf } from "../compose/plan/picture/picture.js";
import { type PictureTrace, TraceMarks } from "../compose/plan/picture/trace-marks.js";
import { loadPackage } from "../optional-package.js";
import { toDot, xmlText } from "./dot.js";
import { invalidPicture } from "./errors.js";
import { type PictureTheme, themes } from "./theme.js";

/** Options of {@link toSvg}. */
export interface SvgOptions {
  /** The trace of a run. Colors show nodes that are done, failed, waiting or skipped; thick edges show the path taken. */
  readonly trace?: PictureTrace | undefined;
  /** The colors of the picture. @default "light" */
  readonly theme?: PictureTheme | undefined;
}

/** A compiled graph, which can describe itself. @internal */
interface Described {
  graphInfo(): GraphInfo;
}

/**
 * Draws a graph, compiled or not, as a self-contained SVG document without scripts. The same graph always has the same bytes.
 * Needs the package `@viz-js/viz`.
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

/**
 * Adds a title for screen readers. Removes the declaration, which refers to an external document type, and comments and tooltips,
 * which show internal ids.
 */
function withTitle(svg: string, title: string): string {
  const body = svg.slice(svg.indexOf("<svg")).replaceAll(/<!--.*?-->\n?/gs, "");
  const text = xmlText(title).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return body
    .replaceAll(/<title>.*?<\/title>\n?/gs, "")
    .replace(/^<svg ([^>]*)>/, (_found, attributes) => `<svg role="img" ${attributes}>\n<title>${text}</title>`);
}

/** Graphviz as WebAssembly, loaded for the first picture and reused. */
class Graphviz {
  #loading: Promise<Viz> | undefined = undefined;

  async render(dot: string): Promise<string> {
    this.#loading ??= load();
    try {
      const viz = await this.#loading;
      return viz.renderString(dot, { format: "svg", engine: "dot" });
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

async function load(): Promise<Viz> {
  const { instance } = await loadPackage("@viz-js/viz", "toSvg", () => import("@viz-js/viz"));
  return instance();
}

const graphviz = new Graphviz();
