import type { GraphNodeInfo } from "../../callbacks/graph-info.js";
import { type Level, sizes } from "./level.js";

/** The width of a card by the length of its name, never by measured text: the same on every machine. */
export function cardWidth(name: string): number {
  if (name.length <= 8) return 152;
  return name.length <= 14 ? 184 : 224;
}

/** The name on a card. */
export function titleOf({ key, name }: GraphNodeInfo): string {
  return name === undefined || name === key ? key : name;
}

/** A longer name of a box is cut. */
const longestTitle = 32;

/** The width of the bar at the top of a box: icon, name, kind and time. */
export function barWidth(title: string): number {
  return Math.min(title.length, longestTitle) * 7 + 96;
}

/** Whether the name of a box does not fit into its bar. */
export function isCut(title: string): boolean {
  return title.length > longestTitle;
}

/** A box around an inner graph. Its name stands beside the line that enters it. */
export interface BoxSize {
  readonly width: number;
  readonly height: number;
  readonly innerX: number;
  readonly innerY: number;
}

export function boxSize(title: string, level: Level): BoxSize {
  const bar = barWidth(title);
  const port = sizes.padding + level.inX;
  // the bar stands at the left of the line if there is room, else at its right
  const needed = port > bar + 10 ? 0 : port + bar;
  return {
    width: Math.max(level.width + 2 * sizes.padding, needed),
    height: level.height + sizes.head + sizes.padding,
    innerX: sizes.padding,
    innerY: sizes.head,
  };
}

/** Where the bar of a box begins. */
export function barX(title: string, level: Level): number {
  const port = sizes.padding + level.inX;
  return port > barWidth(title) + 10 ? 2 : port + 8;
}
