import type { Level, LevelNode } from "../../layout/level.js";

/** The node that an arrow key leads to: down and up along edges, left and right to the neighbor in the row. */
export function nextNode(level: Level, path: string, key: string): string | undefined {
  const places = placesOf(level, 0, 0);
  const own = places.find((place) => place.path === path);
  if (own === undefined) return undefined;
  if (key === "ArrowLeft" || key === "ArrowRight") return beside(places, own, key === "ArrowLeft" ? -1 : 1);
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  const isDown = key === "ArrowDown";
  const tool = path.includes("#") || own.node?.kind === "tools" ? nextTool(own, path, isDown) : undefined;
  return tool ?? alongEdges(level, path, isDown) ?? nearest(places, own, isDown);
}

interface Place {
  readonly path: string;
  readonly node: LevelNode | undefined;
  readonly x: number;
  readonly y: number;
}

/** Everything that can have the focus, by the middle of its first line. */
function placesOf(level: Level, left: number, top: number): Place[] {
  return level.nodes.flatMap((node) => {
    if (node.kind === "cap") return [];
    const [x, y] = [left + node.x, top + node.y];
    const own: Place = { path: node.path, node, x: x + node.width / 2, y: y + 18 };
    const tools = node.tools?.map(({ name }, index): Place => {
      return { path: `${node.path}#${name}`, node, x: x + node.width / 2, y: y + 50 + index * 30 };
    });
    const inner = node.inner === undefined ? [] : placesOf(node.inner.level, x + node.inner.x, y + node.inner.y);
    return [own, ...(tools ?? []), ...inner];
  });
}

function alongEdges(level: Level, path: string, isDown: boolean): string | undefined {
  for (const edge of level.edges) {
    if (edge.isBack) continue;
    const [from, to] = isDown ? [edge.from, edge.to] : [edge.to, edge.from];
    if (from === path && level.nodes.some((node) => node.path === to && node.kind !== "cap")) return to;
  }
  for (const { inner } of level.nodes) {
    const found = inner === undefined ? undefined : alongEdges(inner.level, path, isDown);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nextTool({ node }: Place, path: string, isDown: boolean): string | undefined {
  const rows = [node?.path ?? "", ...(node?.tools ?? []).map(({ name }) => `${node?.path}#${name}`)];
  return rows[rows.indexOf(path) + (isDown ? 1 : -1)];
}

function beside(places: readonly Place[], own: Place, side: 1 | -1): string | undefined {
  const ahead = places.filter(({ x, path }) => path !== own.path && (x - own.x) * side > 8);
  return closest(ahead, own, 3)?.path;
}

function nearest(places: readonly Place[], own: Place, isDown: boolean): string | undefined {
  const ahead = places.filter(({ y, path }) => path !== own.path && (isDown ? y > own.y + 8 : y < own.y - 8));
  return closest(ahead, own, 0.5)?.path;
}

/** `weight` is how much more a pixel down or up counts than one to the side. */
function closest(places: readonly Place[], own: Place, weight: number): Place | undefined {
  const distance = ({ x, y }: Place): number => Math.abs(x - own.x) + Math.abs(y - own.y) * weight;
  return places.toSorted((a, b) => distance(a) - distance(b))[0];
}
