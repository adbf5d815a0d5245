/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { px, trackPointer, useIsSmall, useSize } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { Icon, iconOf } from "../parts/icon.js";
import { type Axis, makeAxis, ticksOf } from "./axis.js";
import type { Moment } from "./moment.js";
import type { Player } from "./player.js";
import { type TimelineRow, timelineRows } from "./rows.js";
import { activeAt, type RunModel, type ShownSpan } from "./run-model.js";

const labelWidths = { wide: 176, small: 116 };
/** Room at the right for the last duration. */
const margin = 56;

interface TimelineProps {
  readonly moment: Moment;
  readonly player: Player;
  readonly selected: string | undefined;
  /** Stands at the right of the controls. */
  readonly children?: ComponentChildren;
  onSelect(row: string): void;
}

/** Everything that ran, over the time. The line is the moment that the whole page shows. */
export function Timeline({ moment, player, selected, onSelect, children }: TimelineProps) {
  const { ref, width } = useSize<HTMLDivElement>();
  const labels = labelWidths[useIsSmall() ? "small" : "wide"];
  const { run } = moment;
  const axis = useMemo(() => makeAxis(run, Math.max(120, width - labels - margin)), [run, width, labels]);
  const rows = useMemo(() => timelineRows(run), [run]);
  const height = px(Math.max(rows.length * 24 + 30, 214));
  const scrub = (event: PointerEvent): void => {
    const left = ref.current?.getBoundingClientRect().left ?? 0;
    trackPointer(event, ({ clientX }) => player.moveTo(axis.timeOf(clientX - left - labels)));
  };
  return (
    <section class="time" aria-label="Timeline">
      <Controls moment={moment} player={player}>
        {children}
      </Controls>
      <div class="rows" ref={ref} tabIndex={-1}>
        <Folds axis={axis} left={labels} height={height} />
        <AxisView axis={axis} moment={moment} player={player} onScrub={scrub} />
        <Playhead axis={axis} left={labels} moment={moment} height={height} />
        <Rows rows={rows} axis={axis} moment={moment} selected={selected} onSelect={onSelect} />
      </div>
    </section>
  );
}

function Controls({ moment, player, children }: Pick<TimelineProps, "moment" | "player" | "children">) {
  const { save, run } = moment;
  return (
    <div class="ctl">
      <button type="button" class="step" aria-label="Previous save" onClick={() => player.step(-1)}>
        <Icon name="prev" />
      </button>
      <button type="button" class="play" aria-label={player.isPlaying ? "Pause" : "Play"} onClick={player.toggle}>
        <Icon name={player.isPlaying ? "pause" : "play"} size={12} isFilled={!player.isPlaying} />
      </button>
      <button type="button" class="step" aria-label="Next save" onClick={() => player.step(1)}>
        <Icon name="next" />
      </button>
      <div class="seg" role="group" aria-label="Speed">
        {[1, 4, 10].map((speed) => (
          <button
            key={speed}
            type="button"
            aria-pressed={player.speed === speed}
            onClick={() => player.setSpeed(speed)}
          >
            ×{speed}
          </button>
        ))}
      </div>
      <span class="t2 num cut where" role="status">
        {save === undefined ? (
          run.saves.length === 0 ? (
            `at ${duration(activeAt(run, moment.time))}`
          ) : (
            "Before the first save"
          )
        ) : (
          <>
            Save {run.saves.indexOf(save) + 1} of {run.saves.length}
            <span class="t3"> · {causeOf(save)}</span>
          </>
        )}
      </span>
      <span class="grow" />
      {children}
    </div>
  );
}

function causeOf({ cause, ran, calls }: RunModel["saves"][number]): string {
  switch (cause) {
    case "task": {
      const what =
        ran.at(-1) ??
        calls
          ?.at(-1)
          ?.split(";")
          .at(-1)
          ?.replace(/^tool:/, "");
      return what === undefined ? "a tool call finished" : `${what} finished`;
    }
    case "interrupt":
      return "waits for an answer";
    case "failure":
      return "failed";
    case "start":
      return "started";
    case "fork":
      return "forked";
    default:
      return "finished";
  }
}

function Folds({ axis, left, height }: { readonly axis: Axis; readonly left: number; readonly height: string }) {
  return (
    <div class="folds" style={{ left: px(left), height, width: px(axis.width) }}>
      {axis.parts.map(({ isFold, x, width, from }) =>
        isFold ? <div key={from} class="holdcol" style={{ left: px(x), width: px(width) }} /> : null,
      )}
    </div>
  );
}

interface AxisViewProps {
  readonly axis: Axis;
  readonly moment: Moment;
  readonly player: Player;
  onScrub(event: PointerEvent): void;
}

function AxisView({ axis, moment, player, onScrub }: AxisViewProps) {
  const { run, time } = moment;
  return (
    <div
      class="axis"
      role="slider"
      tabIndex={0}
      aria-label="Time in the run"
      aria-valuemin={0}
      aria-valuemax={Math.round(run.end)}
      aria-valuenow={Math.round(time)}
      aria-valuetext={duration(activeAt(run, time))}
      onPointerDown={onScrub}
      onKeyDown={player.keys}
    >
      <div class="axis-area">
        {ticksOf(axis).map(({ time: at, x, label }) => (
          <span key={at} class="tick num" style={{ left: px(x) }}>
            {label}
          </span>
        ))}
        {axis.parts.map(({ isFold, x, width, from, to }) =>
          isFold ? (
            <span key={from} class="tick fold-time num" style={{ left: px(x), width: px(width) }}>
              {duration(to - from)}
            </span>
          ) : null,
        )}
        {run.saves.map(({ id, time: at, cause }) => (
          <span
            key={id}
            class={`save${at <= time + 1 ? " past" : ""}${cause === "interrupt" ? " int" : ""}`}
            style={{ left: px(axis.xOf(at)) }}
          />
        ))}
      </div>
    </div>
  );
}

interface PlayheadProps {
  readonly axis: Axis;
  readonly left: number;
  readonly moment: Moment;
  readonly height: string;
}

function Playhead({ axis, left, moment, height }: PlayheadProps) {
  const x = axis.xOf(moment.time);
  const isBeforeFold = axis.parts.some((part) => part.isFold && x >= part.x - 24 && x < part.x + 12);
  return (
    <div class="head0" style={{ left: px(left + x), height }}>
      <span class="num" style={{ transform: `translateX(${isBeforeFold ? "-100%" : x < 24 ? "-30%" : "-50%"})` }}>
        {duration(activeAt(moment.run, moment.time))}
      </span>
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly TimelineRow[];
  readonly axis: Axis;
  readonly moment: Moment;
  readonly selected: string | undefined;
  onSelect(row: string): void;
}

/** One of the rows is in the order of Tab; arrows lead to the others. */
function Rows({ rows, axis, moment, selected, onSelect }: RowsProps) {
  const ref = useRef<HTMLDivElement>(null);
  const first = rows.some(({ row }) => row === selected) ? selected : rows[0]?.row;
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const list = [...(ref.current?.querySelectorAll<HTMLElement>(".trk") ?? [])];
    const at = list.findIndex((element) => element.matches(":focus"));
    if (step === undefined || at < 0) return;
    event.preventDefault();
    list[at + step]?.focus();
  };
  return (
    <div ref={ref} role="group" aria-label="What ran" onKeyDown={keys}>
      {rows.map((row) => (
        <Row
          key={row.row}
          row={row}
          axis={axis}
          moment={moment}
          isSelected={selected === row.row}
          isTabbed={first === row.row}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}

interface RowProps extends Omit<RowsProps, "rows" | "selected"> {
  readonly row: TimelineRow;
  readonly isSelected: boolean;
  readonly isTabbed: boolean;
}

function Row({ row: { row, label, depth, component }, axis, moment, isSelected, isTabbed, onSelect }: RowProps) {
  const spans = moment.run.byRow.get(row) ?? [];
  const total = spans.reduce((sum, { start, end }) => sum + Math.min(end, moment.run.end) - start, 0);
  return (
    <button
      type="button"
      class={`trk${isSelected ? " sel" : ""}`}
      tabIndex={isTabbed ? 0 : -1}
      aria-pressed={isSelected}
      onClick={() => onSelect(row)}
    >
      <span class="lab" style={{ paddingLeft: px(12 + depth * 14) }}>
        <Icon name={iconOf(component)} size={12} />
        <span class="cut">{label}</span>
      </span>
      <span class="bars">
        {spans.map((span, index) => (
          <Bar
            key={span.id}
            span={span}
            axis={axis}
            moment={moment}
            total={index === spans.length - 1 ? total : undefined}
          />
        ))}
        {spans.flatMap(({ id, retries }) =>
          retries.map(({ at }, index) => (
            <span key={`${id} ${index}`} class="retry" style={{ left: px(axis.xOf(at)) }} />
          )),
        )}
      </span>
    </button>
  );
}

interface BarProps {
  readonly span: ShownSpan;
  readonly axis: Axis;
  readonly moment: Moment;
  readonly total: number | undefined;
}

/** A model's bar is light until its first chunk. */
function Bar({ span, axis, moment, total }: BarProps) {
  const end = Math.min(span.end, moment.run.end);
  const x = axis.xOf(span.start);
  // a question was asked at once: what waits is the column beside it
  const isQuestion = span.status === "waiting" && end - span.start < 30;
  const width = isQuestion ? 14 : Math.max(3, axis.xOf(end) - x);
  const first = span.first === undefined ? undefined : (span.first - span.start) / (end - span.start || 1);
  const look = `${span.component}${isQuestion ? " waiting" : ""}${span.status === "failed" ? " failed" : ""}${span.start > moment.time ? " fut" : ""}`;
  return (
    <span class={`bar2 ${look}`} style={{ left: px(x), width: px(width) }}>
      {first !== undefined && <i style={{ left: `${Math.max(0, Math.min(1, first)) * 100}%` }} />}
      {total !== undefined && !isQuestion && <b class="num">{duration(total)}</b>}
    </span>
  );
}
