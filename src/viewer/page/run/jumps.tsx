/** @jsxImportSource preact */
import { useMemo } from "preact/hooks";
import type { Moment } from "./moment.js";
import type { Player } from "./player.js";
import type { RunModel, ShownSpan } from "./run-model.js";
import type { RunTab } from "./run-tab.js";

interface JumpsProps {
  readonly moment: Moment;
  readonly player: Player;
  onSelect(row: string): void;
  onTab(tab: RunTab): void;
}

/** Lead to what is looked for most. */
export function Jumps({ moment: { run }, player, onSelect, onTab }: JumpsProps) {
  const { failed, slowest } = useMemo(() => placesOf(run), [run.view]);
  const jump = (span: ShownSpan, tab: RunTab): void => {
    player.moveTo(Math.min(span.end, run.end));
    onSelect(span.row);
    onTab(tab);
  };
  return (
    <>
      {failed !== undefined && (
        <button type="button" class="chip" onClick={() => jump(failed, "details")}>
          First error
        </button>
      )}
      {slowest !== undefined && (
        <button type="button" class="chip" onClick={() => jump(slowest, "talk")}>
          Slowest tool
        </button>
      )}
    </>
  );
}

/** Where a click leads: to where the first error came from, not what it went through, and to the tool call that took longest. */
function placesOf({ spans }: RunModel) {
  const around = new Set(spans.flatMap(({ status, source }) => (status === "failed" ? source.parent : []) ?? []));
  const failed = spans.find(
    ({ id, status, source }) => status === "failed" && source.error !== undefined && !around.has(id),
  );
  let slowest: ShownSpan | undefined;
  for (const span of spans) {
    if (span.component !== "tool" || span.end === Number.POSITIVE_INFINITY) continue;
    if (slowest === undefined || span.end - span.start > slowest.end - slowest.start) slowest = span;
  }
  return { failed, slowest };
}
