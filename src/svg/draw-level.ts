import type { GraphInfo } from "../callbacks/graph-info.js";
import { wasTaken } from "../compose/plan/picture/picture.js";
import type { Status, TraceMarks } from "../compose/plan/picture/trace-marks.js";
import { barX, titleOf } from "../viewer/layout/card-size.js";
import { labelText, labelWidth } from "../viewer/layout/labels.js";
import type { Level, LevelEdge, LevelNode } from "../viewer/layout/level.js";
import type { Colors, Paint } from "./theme.js";
import { element, roundedBox, text } from "./xml.js";

/** What a picture is drawn of. */
export interface Drawing {
  readonly colors: Colors;
  readonly marks: TraceMarks | undefined;
}

/** The lines, labels and cards of a graph and of those inside it, from its upper left corner. */
export function drawLevel(level: Level, info: GraphInfo, path: string, drawing: Drawing): string[] {
  const taken = new Map(level.edges.map((edge) => [edge, isTaken(edge, info, path, drawing)]));
  const edges = level.edges.toSorted((a, b) => Number(taken.get(a)) - Number(taken.get(b)));
  return [
    ...edges.flatMap((edge) => drawEdge(edge, taken.get(edge) === true, drawing.colors)),
    ...level.edges.flatMap((edge) => drawLabel(edge, drawing.colors)),
    ...level.nodes.flatMap((node) => drawNode(node, drawing)),
  ];
}

function isTaken({ from, to, kind }: LevelEdge, info: GraphInfo, path: string, { marks }: Drawing): boolean {
  const key = (full: string): string => (path === "" ? full : full.slice(path.length + 1));
  return marks !== undefined && wasTaken(info, { from: key(from), to: key(to), kind }, path, marks);
}

function drawEdge({ d, kind, points, to }: LevelEdge, isOn: boolean, colors: Colors): string[] {
  const color = isOn ? colors.taken : kind === "error" ? colors.error : colors.line;
  const dashes = { branch: "5 4", error: "1.5 4", control: "2 3", edge: undefined, data: undefined }[kind];
  const stroke = {
    fill: "none",
    stroke: color,
    "stroke-width": isOn ? 2.6 : kind === "control" ? 1 : 1.5,
    "stroke-linejoin": "round",
    "stroke-linecap": kind === "error" ? "round" : undefined,
  };
  const line = element("path", { d, ...stroke, "stroke-dasharray": isOn ? undefined : dashes });
  const [end, before] = [points.at(-1), points.at(-2)];
  // a line out of an inner graph ends on its border, where the next one begins
  if (end === undefined || before === undefined || to.endsWith("/end")) return [line];
  const [x, y] = [Math.sign(end.x - before.x), Math.sign(end.y - before.y)];
  const corner = (side: number): string => `${end.x - x * 6 - y * side * 3.4} ${end.y - y * 6 + x * side * 3.4}`;
  const head = element("path", {
    d: `M${corner(1)}L${end.x} ${end.y}L${corner(-1)}`,
    ...stroke,
    "stroke-linecap": "round",
  });
  return [line, head];
}

function drawLabel({ label, labels }: LevelEdge, colors: Colors): string[] {
  const shown = labelText(labels);
  if (label === undefined || shown === "") return [];
  const width = labelWidth(shown);
  const box = roundedBox({ x: label.x - width / 2, y: label.y - 9, width, height: 18, radius: 8 });
  return [
    element("path", { d: box, fill: colors.node.fill, stroke: colors.box.line }),
    text(shown, { x: label.x, y: label.y + 3.5, size: 10.5, fill: colors.text, isCode: true, anchor: "middle" }),
  ];
}

function drawNode(node: LevelNode, drawing: Drawing): string[] {
  switch (node.kind) {
    case "cap":
      return drawCap(node, drawing);
    case "box":
      return drawBox(node, drawing);
    case "tools":
      return drawTools(node, drawing);
    case "card":
      return drawCard(node, drawing);
    default:
      return node.kind satisfies never;
  }
}

function paintOf({ path, node }: LevelNode, { colors, marks }: Drawing): Paint {
  const status: Status | undefined = marks?.statusOf(path);
  if (status !== undefined) return colors.statuses[status];
  return colors.components[node?.component ?? ""] ?? colors.node;
}

function drawCap(node: LevelNode, { colors }: Drawing): string[] {
  const { x, y, width, height, key } = node;
  const { fill, line, text: color } = colors.end;
  return [
    element("path", { d: roundedBox({ x, y, width, height, radius: 13 }), fill, stroke: line }),
    text(key, { x: x + width / 2, y: y + 17, size: 11, fill: color, isCode: true, anchor: "middle" }),
  ];
}

function drawCard(node: LevelNode, drawing: Drawing): string[] {
  const { x, y, width, height, node: info, path } = node;
  const { fill, line, text: color } = paintOf(node, drawing);
  const title = info === undefined ? node.key : titleOf(info);
  const count = drawing.marks?.countOf(path) ?? 0;
  const isEach = info?.type === "each";
  const kind = kindOf(info?.component ?? "lambda", isEach);
  const sub = node.folded === undefined ? kind : `${kind} · ${node.folded} nodes`;
  const box = { x, y, width, height, radius: 8 };
  const sheets = isEach ? [element("path", { d: roundedBox({ ...box, x: x + 4, y: y + 4 }), fill, stroke: line })] : [];
  const at = { x: x + 14, fill: color };
  return [
    ...sheets,
    element("path", { d: roundedBox(box), fill, stroke: line }),
    text(title, { ...at, y: y + 19, size: 13, weight: 500, width: width - 28 - (count > 1 ? 28 : 0) }),
    text(sub, { ...at, y: y + 34, size: 11, fill: drawing.colors.faintText, width: width - 28 }),
    ...(count > 1 ? [text(`×${count}`, { x: x + width - 12, y: y + 19, size: 11, fill: color, anchor: "end" })] : []),
  ];
}

function drawBox(node: LevelNode, drawing: Drawing): string[] {
  const { x, y, width, height, inner, node: info } = node;
  if (inner === undefined || info?.graph === undefined) return [];
  const { colors, marks } = drawing;
  const own = marks === undefined ? undefined : colors.statuses[marks.statusOf(node.path)];
  const { fill, line, text: color } = colors.box;
  const stroke = own?.line ?? line;
  const isEach = info.type === "each";
  const isAgent = inner.level.nodes.some(({ kind }) => kind === "tools");
  const kind = isAgent ? "agent" : isEach ? "each" : "graph";
  const title = titleOf(info);
  const count = marks?.countOf(node.path) ?? 0;
  const box = { x, y, width, height, radius: 12 };
  const sheets = isEach ? [element("path", { d: roundedBox({ ...box, x: x + 4, y: y + 4 }), fill, stroke })] : [];
  const name = `${title}${count > 1 ? ` ×${count}` : ""}`;
  const left = x + barX(title, inner.level) + 10;
  return [
    ...sheets,
    element("path", { d: roundedBox(box), fill, stroke }),
    text(name, { x: left, y: y + 21, size: 13, weight: 500, fill: color }),
    text(kind, { x: left + name.length * 7.4 + 6, y: y + 21, size: 11, fill: colors.faintText }),
    `<g transform="translate(${x + inner.x} ${y + inner.y})">`,
    ...drawLevel(inner.level, info.graph, node.path, drawing),
    "</g>",
  ];
}

function drawTools(node: LevelNode, drawing: Drawing): string[] {
  const { x, y, width, height, tools = [] } = node;
  const { fill, line, text: color } = paintOf(node, drawing);
  return [
    element("path", { d: roundedBox({ x, y, width, height, radius: 8 }), fill, stroke: line }),
    text("tools", { x: x + 12, y: y + 23, size: 13, weight: 500, fill: color }),
    ...tools.flatMap(({ name, approval }, index) => {
      const at = { y: y + 55 + index * 30, fill: color };
      return [
        text(name, { ...at, x: x + 12, size: 11.5, isCode: true, width: width - 24 - (approval === true ? 60 : 0) }),
        ...(approval === true
          ? [text("approval", { ...at, x: x + width - 12, size: 11, fill: drawing.colors.faintText, anchor: "end" })]
          : []),
      ];
    }),
  ];
}

function kindOf(component: string, isEach: boolean): string {
  if (component === "lambda") return isEach ? "each item" : "function";
  return component === "tools_node" ? "tools" : component;
}
