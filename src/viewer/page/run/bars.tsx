/** @jsxImportSource preact */
import { useEffect, useRef } from "preact/hooks";
import { px } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { useTheme } from "../parts/theme.js";
import type { Axis } from "./axis.js";
import type { Moment } from "./moment.js";
import type { TimelineRow } from "./rows.js";
import type { ShownSpan } from "./run-model.js";

export const rowHeight = 24;
const [barTop, barHeight] = [7, 10];
/** A question was asked at once: what waits is the column beside it. */
const questionMs = 30;
const questionWidth = 14;

interface BarsProps {
  /** The rows in sight. */
  readonly rows: readonly TimelineRow[];
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly axis: Axis;
  readonly moment: Moment;
  readonly selected: string | undefined;
}

/** The bars of the rows in sight, on a canvas: a run can have 10,000 of them. What they say is in their rows too. */
export function Bars({ rows, top, left, width, axis, moment, selected }: BarsProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const height = rows.length * rowHeight;
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (canvas === null || context === null || context === undefined) return;
    const ratio = devicePixelRatio;
    // setting its size clears it
    canvas.width = Math.max(1, width * ratio);
    canvas.height = Math.max(1, height * ratio);
    context.scale(ratio, ratio);
    const pen = new Pen(context, getComputedStyle(canvas), axis, moment);
    rows.forEach(({ row }, index) => {
      pen.row(row, index * rowHeight, row === selected);
    });
  }, [rows, width, height, axis, moment, selected, theme]);
  const style = { top: px(top), left: px(left), width: px(width), height: px(height) };
  return (
    <div class="bars" style={style} aria-hidden="true">
      <canvas ref={ref} />
    </div>
  );
}

/** Draws rows of bars in the colors of the page. */
class Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #style: CSSStyleDeclaration;
  readonly #axis: Axis;
  readonly #moment: Moment;
  readonly #colors = new Map<string, string>();

  constructor(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, axis: Axis, moment: Moment) {
    this.#context = context;
    this.#style = style;
    this.#axis = axis;
    this.#moment = moment;
    context.font = `10.5px ${style.fontFamily}`;
    context.textBaseline = "middle";
  }

  row(name: string, y: number, isSelected: boolean): void {
    const { run } = this.#moment;
    const spans = run.byRow.get(name) ?? [];
    let right = Number.NEGATIVE_INFINITY;
    for (const span of spans) {
      const x = this.#axis.xOf(span.start);
      const end = this.#axis.xOf(Math.min(span.end, run.end));
      // of many that fall on one pixel, one is enough
      if (end <= right && span.status !== "failed") continue;
      right = Math.max(right, this.#bar(span, x, Math.max(3, end - x), y));
    }
    for (const { retries } of spans) for (const { at } of retries) this.#retry(this.#axis.xOf(at), y);
    const last = spans.at(-1);
    if (last === undefined || isQuestion(last, run.end)) return;
    this.#context.fillStyle = this.#color(isSelected ? "text2" : "text3");
    this.#context.fillText(duration(totalOf(spans, run.end)), right + 5, y + rowHeight / 2 + 0.5);
  }

  /** Returns where it ends. */
  #bar(span: ShownSpan, x: number, width: number, y: number): number {
    const { run, time } = this.#moment;
    if (isQuestion(span, run.end)) {
      this.#question(x, y, span.start > time);
      return x + questionWidth;
    }
    const isAhead = span.start > time;
    this.#shape(x, width, y);
    if (isAhead) this.#outline("line2");
    else
      this.#fill(span.status === "failed" ? "fail" : span.component === "model" ? "bar-model" : this.#barColor(span));
    // a model's bar is light until its first chunk
    if (span.first !== undefined && span.status !== "failed") {
      const from = Math.min(x + width - 2, Math.max(x, this.#axis.xOf(span.first)));
      this.#context.globalAlpha = isAhead ? 0.22 : 1;
      this.#shape(from, x + width - from, y);
      this.#fill("accent");
      this.#context.globalAlpha = 1;
    }
    return x + width;
  }

  #barColor({ component }: ShownSpan): string {
    return component === "tool" ? "bar-tool" : "bar";
  }

  #question(x: number, y: number, isAhead: boolean): void {
    const context = this.#context;
    context.save();
    this.#shape(x + 0.5, questionWidth - 1, y);
    this.#outline(isAhead ? "line2" : "wait-line");
    if (!isAhead) {
      context.clip();
      context.beginPath();
      for (let at = x - barHeight; at < x + questionWidth; at += 4.5) {
        context.moveTo(at, y + barTop + barHeight);
        context.lineTo(at + barHeight, y + barTop);
      }
      context.lineWidth = 2;
      context.stroke();
    }
    context.restore();
  }

  #retry(x: number, y: number): void {
    this.#context.fillStyle = this.#color("fail");
    this.#context.fillRect(Math.round(x), y + 5, 2, 14);
  }

  #shape(x: number, width: number, y: number): void {
    this.#context.beginPath();
    this.#context.roundRect(x, y + barTop, width, barHeight, Math.min(3, width / 2));
  }

  #fill(color: string): void {
    this.#context.fillStyle = this.#color(color);
    this.#context.fill();
  }

  #outline(color: string): void {
    this.#context.strokeStyle = this.#color(color);
    this.#context.lineWidth = 1;
    this.#context.stroke();
  }

  #color(name: string): string {
    const known = this.#colors.get(name) ?? this.#style.getPropertyValue(`--${name}`);
    this.#colors.set(name, known);
    return known;
  }
}

function isQuestion({ status, start, end }: ShownSpan, runEnd: number): boolean {
  return status === "waiting" && Math.min(end, runEnd) - start < questionMs;
}

export function totalOf(spans: readonly ShownSpan[], end: number): number {
  return spans.reduce((sum, span) => sum + Math.min(span.end, end) - span.start, 0);
}
