import type { Paint } from "./colors.js";
import { oneLine } from "./preview.js";
import { TracedRun } from "./trace-tree.js";

const MAX_NAME_LENGTH = 80;

/** The lines of a run and everything inside it, drawn as a tree. */
export function drawRun(run: TracedRun<string>, paint: Paint): string[] {
  const note = run.parent === undefined ? "" : paint("dim", `(late, inside ${titleOf(run.parent)}) `);
  return [note + drawLine(run, paint), ...drawInside(run, "", paint)];
}

function drawInside(run: TracedRun<string>, margin: string, paint: Paint): string[] {
  return run.inside.flatMap((item, index) => {
    const isLast = index === run.inside.length - 1;
    const branch = paint("dim", `${margin}${isLast ? "└─ " : "├─ "}`);
    if (!(item instanceof TracedRun)) return [branch + paint("dim", `· ${item.event}`)];
    return [branch + drawLine(item, paint), ...drawInside(item, `${margin}${isLast ? "   " : "│  "}`, paint)];
  });
}

/** `✓ get_weather tool 12.0 ms  {"city":"Kyoto"} → {"celsius":21}` */
function drawLine(run: TracedRun<string>, paint: Paint): string {
  const { name, input, startedAt, endedAt } = run;
  const mark = drawMark(run, paint);
  const kind = paint("dim", kindOf(run));
  const title =
    name === "" || name === kindOf(run) ? paint("bold", kindOf(run)) : `${paint("bold", titleOf(run))} ${kind}`;
  const duration = endedAt === undefined ? "still running" : formatDuration(endedAt - startedAt);
  const result = drawResult(run, paint);
  const values = [input ?? "", result].filter((text) => text !== "").join(" ");
  return `${mark} ${title} ${paint("dim", duration)}${values === "" ? "" : `  ${values}`}`;
}

function drawMark({ outcome }: TracedRun<string>, paint: Paint): string {
  if (outcome === undefined) return paint("yellow", "…");
  switch (outcome.kind) {
    case "output":
      return paint("green", "✓");
    case "error":
      return paint("red", "✗");
    case "interrupt":
      return paint("yellow", "⏸");
    default:
      return outcome satisfies never;
  }
}

function drawResult(run: TracedRun<string>, paint: Paint): string {
  const { outcome } = run;
  if (outcome?.value === undefined) return "";
  if (outcome.kind === "output") return `${paint("dim", "→")} ${outcome.value}`;
  if (isShownInside(run, outcome.thrown)) return "";
  return paint(outcome.kind === "error" ? "red" : "yellow", outcome.value);
}

/** Whether an error, or one of its causes, is already shown at a run inside. */
function isShownInside({ children }: TracedRun<string>, thrown: unknown): boolean {
  const shown = new Set(children.map(({ outcome }) => (outcome?.kind === "output" ? undefined : outcome?.thrown)));
  const seen = new Set<unknown>([undefined]);
  for (let error = thrown; !seen.has(error); error = error instanceof Error ? error.cause : undefined) {
    if (shown.has(error)) return true;
    seen.add(error);
  }
  return false;
}

function titleOf(run: TracedRun<string>): string {
  return run.name === "" ? kindOf(run) : oneLine(run.name, MAX_NAME_LENGTH);
}

function kindOf({ component, type }: TracedRun<string>): string {
  return type === "" ? component : `${component} ${oneLine(type, MAX_NAME_LENGTH)}`;
}

/** `0.42 ms`, `12.3 ms`, `1.24 s`, `2 min 05 s` */
function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${ms.toFixed(1)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}
