import type { Picture, PictureEdge, PictureNode } from "../compose/plan/picture/picture.js";
import type { Colors } from "./theme.js";

/** Converts a picture to the DOT language of Graphviz. */
export function toDot(picture: Picture, colors: Colors): string {
  const { background, line, text } = colors;
  return [
    "digraph {",
    `  graph [compound=true bgcolor="${background}" rankdir=TB nodesep=0.35 ranksep=0.45 pad=0.2 fontname="${font}" fontsize=12]`,
    `  node [fontname="${font}" fontsize=12 height=0.42 margin="0.16,0.08" style="rounded,filled" shape=box]`,
    `  edge [fontname="${font}" fontsize=10 color="${line}" fontcolor="${text}" arrowsize=0.7]`,
    ...draw(picture, colors, "  "),
    "}",
  ].join("\n");
}

const font = "Helvetica,Arial,sans-serif";

function draw({ nodes, edges }: Picture, colors: Colors, indent: string): string[] {
  const boxes = new Set(nodes.filter(({ inside }) => inside !== undefined).map(({ id }) => id));
  return [
    ...nodes.flatMap((node) => drawNode(node, colors, indent)),
    ...edges.map((edge) => `${indent}${drawEdge(edge, boxes, colors)}`),
  ];
}

function drawNode(node: PictureNode, colors: Colors, indent: string): string[] {
  const { id, shape, inside, status, component } = node;
  const label = quoted(node.label);
  const own = status === undefined ? undefined : colors.statuses[status];
  if (inside !== undefined) {
    const { fill, line, text } = own ?? colors.box;
    const style = `style="rounded,filled" fillcolor="${own === undefined ? fill : colors.box.fill}" color="${line}"`;
    return [
      `${indent}subgraph cluster_${id} {`,
      `${indent}  graph [label=${label} ${style} fontcolor="${own === undefined ? text : colors.box.text}" margin=12]`,
      ...draw(inside, colors, `${indent}  `),
      `${indent}}`,
    ];
  }
  const { fill, line, text } = own ?? (shape === "end" ? colors.end : (colors.components[component] ?? colors.node));
  const paint = `fillcolor="${fill}" color="${line}" fontcolor="${text}"`;
  const size = shape === "end" ? " height=0.3 fontsize=11" : "";
  // a second outline shows a node that runs for each item of an array
  const sheets = shape === "each" ? " peripheries=2" : "";
  return [`${indent}${id} [label=${label} ${paint}${size}${sheets}${wideSize(node.label)}]`];
}

/** Sets the width of labels with East Asian letters or emoji, which Graphviz measures wrongly. */
function wideSize(label: string): string {
  const lines = label.split(/\r\n?|[\n\u2028\u2029]/);
  if (!lines.some((line) => wide.test(line))) return "";
  const points = lines.map((line) => Array.from(line, (letter): number => (wide.test(letter) ? 12.5 : 7)));
  const width = Math.max(...points.map((line) => line.reduce((sum, letter) => sum + letter, 0)));
  return ` width=${((width + 24) / 72).toFixed(2)}`;
}

const wide =
  /[\u{1100}-\u{11ff}\u{2e80}-\u{9fff}\u{ac00}-\u{d7ff}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{1f000}-\u{3ffff}]/u;

/** Draws an edge. At a box, it connects to the start or end node inside and is clipped at the border. */
function drawEdge(
  { from, to, kind, labels, isTaken }: PictureEdge,
  boxes: ReadonlySet<string>,
  colors: Colors,
): string {
  const attributes: string[] = [];
  if (boxes.has(from)) attributes.push(`ltail=cluster_${from}`);
  if (boxes.has(to)) attributes.push(`lhead=cluster_${to}`);
  if (boxes.has(from) || boxes.has(to)) attributes.push("minlen=2");
  if (labels.length > 0) attributes.push(`label=${quoted(labels.map((label) => `  ${label}  `).join("\n"))}`);
  if (kind === "branch") attributes.push("style=dashed");
  if (kind === "error") attributes.push(`style=dotted color="${colors.error}" fontcolor="${colors.error}"`);
  if (kind === "control") attributes.push(`color="${colors.faint}" arrowhead=empty`);
  if (isTaken) attributes.push("penwidth=2.6");
  else if (kind === "error") attributes.push("penwidth=1.6");
  const [source, target] = [boxes.has(from) ? `${from}_1` : from, boxes.has(to) ? `${to}_0` : to];
  return `${source} -> ${target}${attributes.length === 0 ? "" : ` [${attributes.join(" ")}]`}`;
}

/** Quotes a string, escaping what Graphviz reads as escapes and entities. */
function quoted(text: string): string {
  const safe = xmlText(text)
    // empty lines make the engine fail
    .replace(/^\s*$/gm, "\u00a0")
    .replaceAll("&", "&amp;")
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n");
  return `"${safe}"`;
}

/** Replaces what XML cannot contain: control characters and lone surrogates. */
export function xmlText(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/(?!\n)\p{Cc}|[\ufffe\uffff]/gu, "\ufffd");
}
