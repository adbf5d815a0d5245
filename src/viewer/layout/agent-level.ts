import type { GraphInfo, GraphNodeInfo } from "../../callbacks/graph-info.js";
import { type Level, type LevelEdge, type LevelNode, type LevelTool, sizes } from "./level.js";

const modelWidth = 168;
const toolsWidth = 196;
const between = 56;
const rowHeight = 30;

/** Whether this is the graph of an agent: a model and its tools, or only a model. */
export function isAgentGraph({ nodes, edges }: GraphInfo): boolean {
  const [first, second] = [nodes.find(({ key }) => key === "model"), nodes.find(({ key }) => key === "tools")];
  if (first === undefined || second?.component !== "tools_node" || nodes.length !== 2) return false;
  const known = ["start", "model", "tools", "end"];
  return edges.every(({ from, to }) => known.includes(from) && known.includes(to));
}

/** An agent is always drawn alike: the model on the line from START to END, its tools beside it. */
export function agentLevel(info: GraphInfo, path: string, isInner: boolean): Level {
  const at = (key: string): string => (path === "" ? key : `${path}/${key}`);
  const [model, toolsNode] = [
    info.nodes.find(({ key }) => key === "model"),
    info.nodes.find(({ key }) => key === "tools"),
  ];
  const tools = toolsOf(toolsNode);
  const hasTools = tools === undefined || tools.length > 0;
  const toolsHeight = hasTools ? 36 + Math.max(1, tools?.length ?? 0) * rowHeight + 5 : 0;
  const height = Math.max(toolsHeight, 60);
  const top = isInner ? 0 : 26 + sizes.rowGap;
  const middle = top + Math.min(height / 2, 46);
  const spine = modelWidth / 2;
  const ends = isInner ? [-sizes.head, height + sizes.padding] : [26, top + height + sizes.rowGap];
  const modelTop = middle - sizes.card / 2;
  const toolsX = modelWidth + between;

  const nodes: LevelNode[] = [
    {
      key: "model",
      path: at("model"),
      kind: "card",
      x: 0,
      y: modelTop,
      width: modelWidth,
      height: sizes.card,
      node: model,
    },
  ];
  if (hasTools) {
    const size = { x: toolsX, y: top, width: toolsWidth, height: toolsHeight };
    nodes.push({ key: "tools", path: at("tools"), kind: "tools", ...size, node: toolsNode, tools: tools ?? [] });
  }
  if (!isInner) {
    nodes.unshift(cap("start", spine, 0));
    nodes.push(cap("end", spine, ends[1] ?? 0));
  }
  const edges = [
    straight(at("start"), at("model"), "edge", [spine, ends[0] ?? 0], [spine, modelTop - 1]),
    straight(
      at("model"),
      at("end"),
      "branch",
      [spine, modelTop + sizes.card],
      [spine, (ends[1] ?? 0) - (isInner ? 0 : 1)],
    ),
  ];
  if (hasTools) {
    edges.push(
      straight(at("model"), at("tools"), "branch", [modelWidth, middle - 8], [toolsX - 1, middle - 8]),
      straight(at("tools"), at("model"), "edge", [toolsX, middle + 8], [modelWidth + 1, middle + 8]),
    );
  }
  const full = isInner ? height : (ends[1] ?? 0) + 26;
  return { width: hasTools ? toolsX + toolsWidth : modelWidth, height: full, nodes, edges, inX: spine, outX: spine };
}

/** `undefined` if nothing is known of them. */
function toolsOf(node: GraphNodeInfo | undefined): LevelTool[] | undefined {
  return node?.tools?.map(({ name, approval }) => ({ name, approval: approval !== undefined }));
}

function cap(key: string, middle: number, y: number): LevelNode {
  return { key, path: key, kind: "cap", x: middle - 29, y, width: 58, height: 26 };
}

function straight(
  from: string,
  to: string,
  kind: LevelEdge["kind"],
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): LevelEdge {
  const points = [
    { x: x1, y: y1 },
    { x: x2, y: y2 },
  ];
  return { from, to, kind, labels: [], points, d: `M${x1} ${y1}L${x2} ${y2}`, label: undefined, isBack: false };
}
