/** @jsxImportSource preact */
import { useEffect, useRef } from "preact/hooks";
import { px } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { useTheme } from "../parts/theme.js";
import type { Axis } from "./axis.js";
import type { Moment } from "./moment.js";
import { timesOf } from "./row-times.js";
import type { TimelineRow } from "./rows.js";
import type { RunModel, ShownSpan } from "./run-model.js";

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
  // drawn once with everything behind and once ahead: a moment only puts pieces of both together
  const drawn = useRef<Drawn>(undefined);
  const { run } = moment;
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return;
    const size = { width: Math.max(1, width * devicePixelRatio), height: Math.max(1, height * devicePixelRatio) };
    // setting its size clears it
    Object.assign(canvas, size);
    const style = getComputedStyle(canvas);
    const draw = (isAhead: boolean): Drawing => {
      const drawing = new OffscreenCanvas(size.width, size.height);
      const pen = new Pen(drawing, style, axis, run, isAhead);
      const ends = rows.map(({ row }, index) => pen.row(row, index * rowHeight, row === selected));
      return { canvas: drawing, ends };
    };
    let ahead: Drawing | undefined;
    drawn.current = {
      behind: draw(false),
      get ahead() {
        ahead ??= draw(true);
        return ahead;
      },
    };
  }, [rows, width, height, axis, run, selected, theme]);
  useEffect(() => {
    const context = ref.current?.getContext("2d");
    if (context && drawn.current !== undefined) compose(context, drawn.current, rows, moment);
  }, [rows, width, height, axis, moment, selected, theme]);
  const style = { top: px(top), left: px(left), width: px(width), height: px(height) };
  return (
    <div class="bars" style={style} aria-hidden="true">
      <canvas ref={ref} />
    </div>
  );
}

interface Drawing {
  readonly canvas: OffscreenCanvas;
  /** Of each row: how far to the right the first bars reach. */
  readonly ends: readonly (readonly number[])[];
}

interface Drawn {
  readonly behind: Drawing;
  /** Drawn once it is needed: a page that was just opened is at the end. */
  readonly ahead: Drawing;
}

/** What has begun is behind, to its end; the rest is ahead. */
function compose(
  context: CanvasRenderingContext2D,
  drawn: Drawn,
  rows: readonly TimelineRow[],
  { run, time }: Moment,
): void {
  const height = rowHeight * devicePixelRatio;
  const { canvas: behind, ends } = drawn.behind;
  const { width } = behind;
  context.clearRect(0, 0, width, behind.height);
  const copy = (from: OffscreenCanvas, left: number, right: number, top: number): void => {
    if (right > left) context.drawImage(from, left, top, right - left, height, left, top, right - left, height);
  };
  rows.forEach(({ row }, index) => {
    const spans = run.byRow.get(row) ?? [];
    const begun = timesOf(spans).begun(time);
    const top = index * height;
    const isAll = begun === spans.length;
    const end = isAll ? width : Math.ceil((ends[index]?.[begun - 1] ?? 0) * devicePixelRatio);
    copy(behind, 0, Math.min(end, width), top);
    if (!isAll) copy(drawn.ahead.canvas, end, width, top);
  });
}

/** Draws rows of bars in the colors of the page. */
class Pen {
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #style: CSSStyleDeclaration;
  readonly #axis: Axis;
  readonly #run: RunModel;
  /** Whether they have not begun yet. */
  readonly #isAhead: boolean;
  readonly #colors = new Map<string, string>();

  constructor(canvas: OffscreenCanvas, style: CSSStyleDeclaration, axis: Axis, run: RunModel, isAhead: boolean) {
    this.#context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
    this.#style = style;
    this.#axis = axis;
    this.#run = run;
    this.#isAhead = isAhead;
    this.#context.scale(devicePixelRatio, devicePixelRatio);
    this.#context.font = `10.5px ${style.fontFamily}`;
    this.#context.textBaseline = "middle";
  }

  /** Returns how far to the right the first bars reach, by their number. */
  row(name: string, y: number, isSelected: boolean): number[] {
    const spans = this.#run.byRow.get(name) ?? [];
    const ends: number[] = [];
    let right = Number.NEGATIVE_INFINITY;
    for (const span of spans) {
      const x = this.#axis.xOf(span.start);
      const end = this.#axis.xOf(Math.min(span.end, this.#run.end));
      // of many that fall on one pixel, one is enough
      if (end > right || span.status === "failed") right = Math.max(right, this.#bar(span, x, Math.max(3, end - x), y));
      ends.push(right);
    }
    for (const { retries } of spans) for (const { at } of retries) this.#retry(this.#axis.xOf(at), y);
    const last = spans.at(-1);
    if (last === undefined || isQuestion(last, this.#run.end)) return ends;
    this.#context.fillStyle = this.#color(isSelected ? "text2" : "text3");
    const total = duration(timesOf(spans).ms(this.#run.end));
    this.#context.fillText(total, right + 5, y + rowHeight / 2 + 0.5);
    return ends;
  }

  /** Returns where it ends. */
  #bar(span: ShownSpan, x: number, width: number, y: number): number {
    if (isQuestion(span, this.#run.end)) {
      this.#question(x, y);
      return x + questionWidth;
    }
    this.#shape(x, width, y);
    if (this.#isAhead) this.#outline("line2");
    else
      this.#fill(span.status === "failed" ? "fail" : span.component === "model" ? "bar-model" : this.#barColor(span));
    // a model's bar is light until its first chunk
    if (span.first !== undefined && span.status !== "failed") {
      const from = Math.min(x + width - 2, Math.max(x, this.#axis.xOf(span.first)));
      this.#context.globalAlpha = this.#isAhead ? 0.22 : 1;
      this.#shape(from, x + width - from, y);
      this.#fill("accent");
      this.#context.globalAlpha = 1;
    }
    return x + width;
  }

  #barColor({ component }: ShownSpan): string {
    return component === "tool" ? "bar-tool" : "bar";
  }

  #question(x: number, y: number): void {
    const context = this.#context;
    context.save();
    this.#shape(x + 0.5, questionWidth - 1, y);
    this.#outline(this.#isAhead ? "line2" : "wait-line");
    if (!this.#isAhead) {
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
