/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { px, trackPointer, useIsSmall, useSize } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { Icon, iconOf } from "../parts/icon.js";
import { type RowWindow, useRowWindow } from "../parts/row-window.js";
import { type Axis, makeAxis, ticksOf } from "./axis.js";
import { Bars, rowHeight } from "./bars.js";
import type { Moment } from "./moment.js";
import type { Player } from "./player.js";
import { timesOf } from "./row-times.js";
import { type TimelineRow, timelineRows } from "./rows.js";
import { activeAt, type RunModel, type ShownSave } from "./run-model.js";
import { causeOf } from "./save-words.js";

const labelWidths = { wide: 176, small: 116 };
/** Room at the right for the last duration. */
const margin = 56;
const axisHeight = 26;

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
  const rows = useMemo(() => timelineRows(run), [run.view]);
  const seen = useRowWindow(ref, rows.length, rowHeight, axisHeight);
  const inSight = useMemo(() => rows.slice(seen.first, seen.end), [rows, seen.first, seen.end]);
  const height = px(Math.max(rows.length * rowHeight + axisHeight, 196));
  // what they say is of the whole run
  const drawn = useMemo(
    () => <Rows rows={rows} seen={seen} run={run} selected={selected} onSelect={onSelect} />,
    [rows, seen.first, seen.end, run, selected, onSelect],
  );
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
        {drawn}
        <Bars
          rows={inSight}
          top={axisHeight + seen.first * rowHeight}
          left={labels}
          width={Math.max(0, width - labels)}
          axis={axis}
          moment={moment}
          selected={selected}
        />
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
  const x = axis.xOf(time);
  const ticks = useMemo(() => ticksOf(axis), [axis]);
  const saves = useMemo(() => spacedSaves(run.saves, axis), [run.saves, axis]);
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
        {ticks.map((tick) => (
          <span
            key={tick.time}
            // the time of the moment stands over it
            class={`tick num${Math.abs(tick.x + 16 - x) < 40 ? " behind" : ""}`}
            style={{ left: px(tick.x) }}
          >
            {tick.label}
          </span>
        ))}
        {axis.parts.map(({ isFold, x: left, width, from, to }) =>
          isFold ? (
            <span key={from} class="tick fold-time num" style={{ left: px(left), width: px(width) }}>
              {foldWords(to - from, width)}
            </span>
          ) : null,
        )}
        {saves.map(({ id, time: at, cause }) => (
          <span
            key={id}
            class={`save${at <= time ? " past" : ""}${cause === "interrupt" ? " int" : ""}`}
            style={{ left: px(axis.xOf(at)) }}
          />
        ))}
      </div>
    </div>
  );
}

/** Saves of which each is seen: of those on the same pixels one, and every one that asks. */
function spacedSaves(saves: readonly ShownSave[], axis: Axis): readonly ShownSave[] {
  let last = Number.NEGATIVE_INFINITY;
  return saves.filter(({ time, cause }) => {
    const x = axis.xOf(time);
    if (x - last < 3 && cause !== "interrupt") return false;
    last = x;
    return true;
  });
}

/** `3 h 16 min`, or only `3 h` where there is no room. */
function foldWords(ms: number, width: number): string {
  const text = duration(ms);
  return width >= 70 ? text : width >= 34 ? text.replace(/( h) .*/, "$1") : "";
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
  readonly seen: RowWindow;
  readonly run: RunModel;
  readonly selected: string | undefined;
  onSelect(row: string): void;
}

/** One of the rows is in the order of Tab; arrows lead to the others. Only those in sight are drawn. */
function Rows({ rows, seen, run, selected, onSelect }: RowsProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const chosen = rows.findIndex(({ row }) => row === selected);
  const tabbed = chosen >= 0 ? chosen : Math.max(seen.first, Math.min(focused, seen.end - 1));
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target instanceof HTMLElement ? Number(event.target.dataset.index) : Number.NaN;
    const next = step === undefined ? undefined : rows[at + step];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    setFocused(at + step);
    ref.current?.querySelector<HTMLElement>(`[data-index="${at + step}"]`)?.focus();
  };
  return (
    <div ref={ref} role="group" aria-label="What ran" onKeyDown={keys}>
      <div style={{ height: px(seen.first * rowHeight) }} />
      {rows.slice(seen.first, seen.end).map((row, index) => (
        <Row
          key={row.row}
          row={row}
          index={seen.first + index}
          run={run}
          isSelected={selected === row.row}
          isTabbed={tabbed === seen.first + index}
          onSelect={onSelect}
        />
      ))}
      <div style={{ height: px((rows.length - seen.end) * rowHeight) }} />
    </div>
  );
}

interface RowProps extends Pick<RowsProps, "run" | "onSelect"> {
  readonly row: TimelineRow;
  readonly index: number;
  readonly isSelected: boolean;
  readonly isTabbed: boolean;
}

function Row({ row: { row, label, depth, component }, index, run, isSelected, isTabbed, onSelect }: RowProps) {
  return (
    <button
      type="button"
      class={`trk${isSelected ? " sel" : ""}`}
      data-index={index}
      tabIndex={isTabbed ? 0 : -1}
      aria-pressed={isSelected}
      title={label.length > 16 ? label : undefined}
      onClick={() => onSelect(row)}
    >
      <span class={`lab depth-${Math.min(depth, 8)}`}>
        <Icon name={iconOf(component)} size={12} />
        <span class="cut">{label}</span>
        <span class="sr">{duration(timesOf(run.byRow.get(row) ?? []).ms(run.end))}</span>
      </span>
    </button>
  );
}
