import type { RunModel } from "./run-model.js";

/** A part of the time axis: to scale, or a wait that is folded to a column. */
export interface AxisPart {
  readonly from: number;
  readonly to: number;
  readonly isFold: boolean;
  readonly x: number;
  readonly width: number;
}

export interface Axis {
  readonly parts: readonly AxisPart[];
  readonly width: number;
  /** Pixels for a millisecond, outside folds. */
  readonly scale: number;
  xOf(time: number): number;
  timeOf(x: number): number;
}

const foldWidth = 74;

/** Active time is to scale; gaps without an open span of over a second, or 5 % of the active time, are folded. */
export function makeAxis(run: RunModel, width: number): Axis {
  const pieces = activeTimes(run);
  const active = pieces.reduce((sum, { from, to }) => sum + to - from, 0);
  const limit = Math.max(1_000, active * 0.05);
  const joined: { from: number; to: number }[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last !== undefined && piece.from - last.to <= limit) last.to = Math.max(last.to, piece.to);
    else joined.push({ ...piece });
  }
  const shown = joined.reduce((sum, { from, to }) => sum + to - from, 0) || 1;
  const folds = Math.max(0, joined.length - 1);
  const fold = Math.min(foldWidth, (width * (width < 400 ? 0.35 : 0.6)) / Math.max(1, folds));
  const scale = Math.max(0, width - fold * folds) / shown;
  const parts: AxisPart[] = [];
  let x = 0;
  const add = (from: number, to: number, isFold: boolean, size: number): void => {
    parts.push({ from, to, isFold, x, width: size });
    x += size;
  };
  joined.forEach(({ from, to }, index) => {
    const before = joined[index - 1];
    if (before !== undefined) add(before.to, from, true, fold);
    add(from, to, false, (to - from) * scale);
  });
  return { parts, width: x, scale, ...conversions(parts) };
}

function conversions(parts: readonly AxisPart[]): Pick<Axis, "xOf" | "timeOf"> {
  const within = (value: number): number => Math.max(0, Math.min(1, value));
  return {
    xOf(time) {
      const part = parts.find(({ to }) => time <= to) ?? parts.at(-1);
      if (part === undefined) return 0;
      return part.x + part.width * within((time - part.from) / (part.to - part.from || 1));
    },
    timeOf(x) {
      const part = parts.find((other) => x <= other.x + other.width) ?? parts.at(-1);
      if (part === undefined) return 0;
      return part.from + (part.to - part.from) * within((x - part.x) / (part.width || 1));
    },
  };
}

/** Times with an open span; for a run without spans, its saves. */
function activeTimes({ segments, spans, saves, end }: RunModel): { from: number; to: number }[] {
  const roots = segments.map(({ start, end: to }) => ({ from: start, to }));
  const times = roots.length > 0 ? roots : spans.map(({ start, end: to }) => ({ from: start, to: Math.min(to, end) }));
  const all = times.length > 0 ? times : saves.map(({ time }) => ({ from: time, to: time + 1 }));
  return all.length > 0 ? all.sort((a, b) => a.from - b.from) : [{ from: 0, to: end }];
}

/** Round times for the axis, at least 70 pixels apart: of active time, as waits are folded. */
export function ticksOf(axis: Axis): { readonly time: number; readonly x: number; readonly label: string }[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000];
  const step = steps.find((ms) => ms * axis.scale > 70) ?? 3_600_000;
  const ticks: { time: number; x: number; label: string }[] = [];
  let active = 0;
  for (const { from, to, isFold, x, width } of axis.parts) {
    if (isFold) continue;
    for (let at = Math.ceil(active / step) * step; at < active + to - from; at += step) {
      const time = from + at - active;
      const tickX = axis.xOf(time);
      // a label at the end of a part would stand in the next one
      if (tickX <= x + width - 34) ticks.push({ time, x: tickX, label: tickLabel(at, step) });
    }
    active += to - from;
  }
  return ticks;
}

function tickLabel(time: number, step: number): string {
  if (step < 1_000)
    return time < 1_000 && step < 100 ? `${time} ms` : `${(time / 1_000).toFixed(step < 100 ? 2 : 1)} s`;
  return step < 60_000 ? `${Math.round(time / 1_000)} s` : `${Math.round(time / 60_000)} min`;
}
