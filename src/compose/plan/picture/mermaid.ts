import type { GraphInfo } from "../../../callbacks/graph-info.js";
import { checkOptions } from "../../../check-options.js";
import { invalidOption } from "../../errors.js";
import { type Picture, type PictureEdge, type PictureNode, pictureOf } from "./picture.js";
import { type PictureTrace, TraceMarks } from "./trace-marks.js";

/** Options of `toMermaid`. */
export interface MermaidOptions {
  /** A trace to show: nodes are marked as done, failed, waiting or skipped, with how often they ran; thick edges show the path. */
  readonly trace?: PictureTrace | undefined;
  /** The direction of the chart: top down, left to right and so on. @default "TD" */
  readonly direction?: "TD" | "TB" | "BT" | "LR" | "RL" | undefined;
}

const directions: readonly unknown[] = ["TD", "TB", "BT", "LR", "RL"];

/** Writes a Mermaid flowchart: branches are dashed, error edges dotted, and nested graphs are boxes with their nodes. */
export function toMermaid(info: GraphInfo, options: MermaidOptions = {}): string {
  checkOptions("toMermaid", options, ["trace", "direction"]);
  const { trace, direction = "TD" } = options;
  if (!directions.includes(direction)) {
    throw invalidOption(`toMermaid: direction must be one of ${directions.join(", ")} (got "${String(direction)}").`);
  }
  const picture = pictureOf(info, trace === undefined ? undefined : new TraceMarks(trace));
  const edges: PictureEdge[] = [];
  return [`flowchart ${direction}`, ...draw(picture, "  ", edges), ...edgeStyles(edges), ...classes(picture)].join(
    "\n",
  );
}

/** `drawn` collects all edges in order, because Mermaid styles them by number. */
function draw({ nodes, edges }: Picture, indent: string, drawn: PictureEdge[]): string[] {
  const lines = nodes.flatMap((node) => drawNode(node, indent, drawn));
  for (const edge of edges) {
    drawn.push(edge);
    lines.push(`${indent}${edge.from} ${arrow(edge)}${drawLabels(edge.labels)} ${edge.to}`);
  }
  return lines;
}

function drawNode({ id, label, shape, inside }: PictureNode, indent: string, drawn: PictureEdge[]): string[] {
  const text = `"${escapeLabel(label)}"`;
  if (inside !== undefined) {
    return [`${indent}subgraph ${id}[${text}]`, ...draw(inside, `${indent}  `, drawn), `${indent}end`];
  }
  const [open, close] = shapes[shape];
  return [`${indent}${id}${open}${text}${close}`];
}

const shapes = { end: ["([", "])"], node: ["[", "]"], each: ["[[", "]]"] } as const;

function arrow({ kind, isTaken }: PictureEdge): string {
  if (kind === "branch" || kind === "error") return "-.->";
  return isTaken ? "==>" : "-->";
}

function drawLabels(labels: readonly string[]): string {
  return labels.length === 0 ? "" : `|"${labels.map(escapeLabel).join("<br/>")}"|`;
}

/** Styles for dotted edges and thick dashed edges, for which Mermaid has no arrows. */
function edgeStyles(edges: readonly PictureEdge[]): string[] {
  return edges.flatMap(({ kind, isTaken }, n) => {
    const styles: string[] = [];
    if (kind === "error") styles.push("stroke:#c62828", "stroke-dasharray:1 4");
    if (kind === "control") styles.push("stroke:#9e9e9e");
    if (isTaken && (kind === "branch" || kind === "error")) styles.push("stroke-width:3.5px");
    return styles.length === 0 ? [] : [`  linkStyle ${n} ${styles.join(",")}`];
  });
}

const classStyles = {
  done: "fill:#e3f4e6,stroke:#2e7d32,color:#14361a",
  failed: "fill:#fde4e4,stroke:#c62828,color:#5c1313",
  waiting: "fill:#fff2d1,stroke:#b26a00,color:#4d3000",
  skipped: "fill:#f4f4f4,stroke:#bdbdbd,color:#7a7a7a",
} as const;

function classes(picture: Picture): string[] {
  const all = allNodes(picture);
  return Object.entries(classStyles).flatMap(([name, style]) => {
    const ids = all.filter(({ status }) => status === name).map(({ id }) => id);
    return ids.length === 0 ? [] : [`  classDef ${name} ${style}`, `  class ${ids.join(",")} ${name}`];
  });
}

function allNodes({ nodes }: Picture): PictureNode[] {
  return nodes.flatMap((node) => (node.inside === undefined ? [node] : [node, ...allNodes(node.inside)]));
}

/** Escapes what could be markup, such as a list marker at the start, as `#…;`, which Mermaid reads as a character. */
function escapeLabel(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,:/()×→-]|^[-\d]+(?=[. ])[.]?/gu, (found) =>
    Array.from(found, (character) => `#${character.codePointAt(0)};`).join(""),
  );
}
