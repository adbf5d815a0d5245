/** @jsxImportSource preact */
import { duration } from "../parts/format.js";
import { brief } from "../parts/plain-value.js";
import { SafeText } from "../parts/safe-text.js";
import { Dot } from "../parts/status.js";
import type { Moment } from "./moment.js";
import { activeAt, type RunModel } from "./run-model.js";

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

/** So many lines at most: the last ones. */
const lines = 500;

/** What happened, in order: starts of nodes, saves, events, errors. It is also the graph as a list in the order of the run. */
export function Log({ moment, onSelect }: LogProps) {
  const all = entriesOf(moment.run).filter(({ time }) => time <= moment.time);
  const shown = all.slice(-lines);
  return (
    <section class="insp" tabIndex={0} aria-label="Log">
      {all.length > shown.length && <p class="t3">{all.length - shown.length} earlier entries are not shown.</p>}
      <ol class="log num">
        {shown.map(({ time, kind, where, text, row }, index) => (
          <li key={index}>
            <span class="t3">{duration(activeAt(moment.run, time))}</span>
            <Dot status={kind} isNamed />
            {row === undefined ? (
              <span class="cut">{where}</span>
            ) : (
              <button type="button" class="cut link-plain" onClick={() => onSelect(row)}>
                {where}
              </button>
            )}
            <span class="t2 cut">
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
    const where = row === "" ? view.run.graph : row.replace("#", " · ");
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
  saves.forEach(({ time, cause, error }, index) => {
    entries.push({ time, kind: "save", where: `save ${index + 1}`, text: error ?? cause, row: undefined });
  });
  return entries.sort((a, b) => a.time - b.time);
}
