/** @jsxImportSource preact */
import { useMemo, useRef } from "preact/hooks";
import { px } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { brief } from "../parts/plain-value.js";
import { useRowWindow } from "../parts/row-window.js";
import { SafeText } from "../parts/safe-text.js";
import { Dot } from "../parts/status.js";
import type { Moment } from "./moment.js";
import { countUntil } from "./row-times.js";
import { activeAt, type RunModel } from "./run-model.js";
import { causeOf } from "./save-words.js";

interface Entry {
  readonly time: number;
  readonly kind: string;
  readonly where: string;
  readonly text: string;
  readonly row: string | undefined;
}

interface LogProps {
  readonly moment: Moment;
  onSelect(row: string): void;
}

const lineHeight = 26;
const listTop = 14;

/** What happened, in order: starts and ends of nodes, saves, events, errors. It is also the graph as a list in the order of the run. */
export function Log({ moment, onSelect }: LogProps) {
  const ref = useRef<HTMLElement>(null);
  const { run } = moment;
  const all = useMemo(() => entriesOf(run), [run.view]);
  const count = countUntil(all, moment.time, ({ time }) => time);
  const { first, end } = useRowWindow(ref, count, lineHeight, listTop);
  return (
    <section class="insp" ref={ref} tabIndex={0} aria-label="Log">
      <ol class="log num" style={{ paddingTop: px(first * lineHeight), minHeight: px(count * lineHeight) }}>
        {all.slice(first, Math.min(end, count)).map(({ time, kind, where, text, row }, index) => (
          <li key={first + index} class={kind === "failed" ? "failure" : undefined}>
            <span class="t3">{duration(activeAt(run, time))}</span>
            <Dot status={kind} isNamed />
            {row === undefined ? (
              <span class="cut t2">{where}</span>
            ) : (
              <button type="button" class="cut link-plain" title={where} onClick={() => onSelect(row)}>
                {where}
              </button>
            )}
            <span class="cut what" title={text}>
              <SafeText text={text} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function entriesOf({ spans, saves, view }: RunModel): Entry[] {
  const entries: Entry[] = [];
  for (const { row, start, end, status, source, retries } of spans) {
    const where = row === "" ? view.run.graph : row.slice(row.lastIndexOf("#") + 1);
    entries.push({ time: start, kind: "running", where, text: "started", row });
    for (const { at, kind, value } of retries)
      entries.push({ time: at, kind: "failed", where, text: `${kind} ${brief(value?.value)}`, row });
    for (const { at, kind, value } of source.events) {
      if (/retry|fallback|attempt/i.test(kind)) continue;
      entries.push({
        time: at - source.startedAt + start,
        kind: "event",
        where,
        text: `${kind} ${brief(value?.value)}`,
        row,
      });
    }
    if (end === Number.POSITIVE_INFINITY) continue;
    const text =
      status === "failed"
        ? (source.error?.message ?? "failed")
        : status === "waiting"
          ? "waits for an answer"
          : `finished in ${duration(end - start)}`;
    entries.push({ time: end, kind: status, where, text, row });
  }
  saves.forEach((save, index) => {
    const text = save.error ?? causeOf(save);
    entries.push({ time: save.time, kind: "save", where: `save ${index + 1}`, text, row: undefined });
  });
  return entries.sort((a, b) => a.time - b.time);
}
