import { chooseCorridors } from "./corridors.js";
import { type LabelPlace, labelText, labelWidth, placeLabels, roomFor } from "./labels.js";
import { chooseLanes, type Lane } from "./lanes.js";
import { type Point, sizes } from "./level.js";
import { Channel, type Track } from "./tracks.js";
import { intoOf, outOf, type PlacedNode, right, type Wire } from "./wire.js";

export interface Route {
  readonly wire: Wire;
  readonly points: readonly Point[];
  readonly label: Point | undefined;
}

export interface Routes {
  readonly routes: readonly Route[];
  /** The upper side of each node. */
  readonly tops: ReadonlyMap<PlacedNode, number>;
  readonly height: number;
  readonly left: number;
  readonly right: number;
}

/**
 * Routes with horizontal and vertical parts only: out at the bottom of the source, in at the top of the target. Rows move apart
 * for the lines and labels between them. Edges that lead up go through lanes at the right.
 */
export function routeWires(wires: readonly Wire[], rows: readonly (readonly PlacedNode[])[], isInner: boolean): Routes {
  const corridors = chooseCorridors(wires, rows);
  const channels = rows.map(() => new Channel());
  const ahead = wires.filter(({ isBack }) => !isBack);
  const parts = new Map(ahead.map((wire) => [wire, addTracks(wire, corridors.get(wire) ?? [], ahead, channels)]));
  const lanes = chooseLanes(wires, rows, corridors);
  const laneTracks = new Map([...lanes].map(([wire, lane]) => [wire, addLane(wire, lane, channels)]));
  const labels = placeLabels(wires, corridors);
  const heights = stackRows(rows, channels, labels, isInner);

  const routes = wires.map((wire): Route => {
    const lane = lanes.get(wire);
    if (lane !== undefined) return { wire, ...lanePoints(wire, lane, laneTracks.get(wire), heights) };
    const points = wirePoints(wire, corridors.get(wire) ?? [], parts.get(wire) ?? [], heights);
    return { wire, points, label: labelPoint(wire, labels, heights) };
  });
  return { routes, tops: heights.tops, height: heights.height, ...sidesOf(rows.flat(), routes) };
}

function sidesOf(nodes: readonly PlacedNode[], routes: readonly Route[]): { left: number; right: number } {
  let [low, high] = [Math.min(...nodes.map(({ x }) => x)), Math.max(...nodes.map(right))];
  for (const { wire, points, label } of routes) {
    const half = label === undefined ? 0 : labelWidth(labelText(wire.labels)) / 2;
    const xs = points.map(({ x }) => x);
    low = Math.min(low, ...xs.map((x) => x - 8), (label?.x ?? low) - half);
    high = Math.max(high, ...xs.map((x) => x + 8), (label?.x ?? high) + half);
  }
  return { left: Math.floor(low), right: Math.ceil(high) };
}

/** For each row that the edge leaves: its horizontal part below it, if it has one there. */
function addTracks(
  wire: Wire,
  xs: readonly number[],
  ahead: readonly Wire[],
  channels: readonly Channel[],
): (Track | undefined)[] {
  const isFork = ahead.filter(({ from }) => from === wire.from).length > 1;
  const isJoin = ahead.filter(({ to }) => to === wire.to).length > 1;
  return xs.slice(1).map((x, index) => {
    const before = xs[index] ?? x;
    if (Math.abs(x - before) < 0.01) return undefined;
    const own = `edge ${wire.from.key}>${wire.to.key}`;
    const isLast = index === xs.length - 2;
    const name = index === 0 && isFork ? `from ${wire.from.key}` : isLast && isJoin ? `to ${wire.to.key}` : own;
    return channels[wire.fromRow + index]?.add(name, [before], [x]);
  });
}

interface LaneTracks {
  readonly out: Track | undefined;
  readonly into: Track | undefined;
}

/** A lane is entered from the side of a card, or through a channel where other cards stand between. */
function addLane(wire: Wire, lane: Lane, channels: readonly Channel[]): LaneTracks {
  const out = lane.isOutAtSide
    ? undefined
    : channels[wire.fromRow]?.add(`up from ${wire.from.key}`, [outOf(wire)], [lane.x]);
  const into = lane.isInAtSide
    ? undefined
    : channels[wire.toRow - 1]?.add(`up to ${wire.to.key}`, [lane.x], [intoOf(wire)]);
  return { out, into };
}

class Heights {
  readonly tops = new Map<PlacedNode, number>();
  /** The upper and lower side of each row. */
  readonly rows: { readonly top: number; readonly bottom: number }[] = [];
  readonly rooms: {
    readonly upper: number;
    readonly lower: number;
    readonly count: number;
    readonly height: number;
  }[] = [];
  height = 0;

  /** The height of a line in the channel below a row: between the labels at both sides. */
  ofTrack(row: number, { index }: Track): number {
    const room = this.rooms[row];
    const top = this.rows[row]?.bottom ?? 0;
    if (room === undefined) return top;
    const free = room.height - room.upper - room.lower;
    return top + room.upper + (free * (index + 1)) / (room.count + 1);
  }
}

function stackRows(
  rows: readonly (readonly PlacedNode[])[],
  channels: readonly Channel[],
  labels: readonly LabelPlace[],
  isInner: boolean,
): Heights {
  const heights = new Heights();
  let y = 0;
  rows.forEach((nodes, row) => {
    const height = Math.max(...nodes.map((node) => node.height));
    for (const node of nodes) heights.tops.set(node, y + (height - node.height) / 2);
    heights.rows.push({ top: y, bottom: y + height });
    y += height;
    const count = channels[row]?.arrange() ?? 0;
    const [upper, lower] = [roomFor(labels, row, "upper"), roomFor(labels, row, "lower")];
    const isBorder = isInner && (row === 0 || row === rows.length - 2);
    const isPlain = count === 0 && upper + lower === 0;
    const lines = isPlain && isBorder ? 14 : Math.max(sizes.rowGap - upper - lower, (count + 1) * sizes.track + 2);
    const gap = upper + lower + lines;
    heights.rooms.push({ upper, lower, count, height: gap });
    const isLast = row === rows.length - 1;
    if (!isLast || count > 0) y += gap;
  });
  heights.height = y;
  return heights;
}

function wirePoints(
  wire: Wire,
  xs: readonly number[],
  tracks: readonly (Track | undefined)[],
  heights: Heights,
): Point[] {
  const top = heights.tops.get(wire.to) ?? 0;
  const points: Point[] = [{ x: outOf(wire), y: (heights.tops.get(wire.from) ?? 0) + wire.from.height }];
  tracks.forEach((track, index) => {
    if (track === undefined) return;
    const y = heights.ofTrack(wire.fromRow + index, track);
    points.push({ x: xs[index] ?? 0, y }, { x: xs[index + 1] ?? 0, y });
  });
  points.push({ x: intoOf(wire), y: top - 1 });
  return points;
}

function lanePoints(
  wire: Wire,
  lane: Lane,
  tracks: LaneTracks | undefined,
  heights: Heights,
): { points: Point[]; label: Point | undefined } {
  const { from, to } = wire;
  const [fromTop, toTop] = [heights.tops.get(from) ?? 0, heights.tops.get(to) ?? 0];
  const points: Point[] = [];
  if (tracks?.out === undefined) {
    const y = fromTop + from.height / 2 + lane.outShift;
    points.push({ x: right(from), y }, { x: lane.x, y });
  } else {
    const y = heights.ofTrack(wire.fromRow, tracks.out);
    points.push({ x: outOf(wire), y: fromTop + from.height }, { x: outOf(wire), y }, { x: lane.x, y });
  }
  if (tracks?.into === undefined) {
    const y = toTop + Math.min(to.height / 2, 22) + lane.inShift;
    points.push({ x: lane.x, y }, { x: right(to) + 1, y });
  } else {
    const y = heights.ofTrack(wire.toRow - 1, tracks.into);
    points.push({ x: lane.x, y }, { x: intoOf(wire), y }, { x: intoOf(wire), y: toTop - 1 });
  }
  const ys = points.filter(({ x }) => x === lane.x).map(({ y }) => y);
  const text = labelText(wire.labels);
  // at the right of the line, because there are cards at its left
  const beside = { x: lane.x + labelWidth(text) / 2 - 8, y: (Math.min(...ys) + Math.max(...ys)) / 2 };
  return { points, label: text === "" ? undefined : beside };
}

function labelPoint(wire: Wire, labels: readonly LabelPlace[], heights: Heights): Point | undefined {
  const place = labels.find((other) => other.wire === wire);
  const room = place && heights.rooms[place.channel];
  if (place === undefined || room === undefined) return undefined;
  const top = heights.rows[place.channel]?.bottom ?? 0;
  const step = sizes.label + 2;
  const middle = 4 + sizes.label / 2 + place.layer * step;
  // below a label there is still the head of the arrow
  return { x: place.x, y: place.side === "upper" ? top + middle : top + room.height - middle - 4 };
}
