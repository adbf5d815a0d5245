import { createPaint, currentProcess, hasColors, type Paint } from "./colors.js";
import type { Handler } from "./handler.js";
import { preview } from "./preview.js";
import type { RunInfo } from "./run-info.js";
import { drawRun } from "./trace-text.js";
import { type TracedRun, TraceTree, wallClock } from "./trace-tree.js";

/** Options of {@link consoleTracer}. */
export interface ConsoleTracerOptions {
  /** Receives a whole tree: several lines, without a line break at the end. @default console.log */
  readonly write?: ((text: string) => void) | undefined;
  /** Whether errors and durations are colored. @default whether the terminal has colors; `NO_COLOR` and `FORCE_COLOR` are respected */
  readonly colors?: boolean | undefined;
  /** How many characters of a value are shown; for errors four times as many. @default 80 */
  readonly maxLength?: number | undefined;
  /** Returns milliseconds since an arbitrary start. @default the system clock */
  readonly clock?: (() => number) | undefined;
}

/**
 * A handler that prints runs as a tree, with durations and shortened values, when the outermost run ends, so that the output of
 * concurrent runs does not mix. What ends later than that is printed separately.
 *
 * @example
 * await app.invoke(input, { callbacks: [consoleTracer({ maxLength: 120 })] });
 */
export function consoleTracer(options: ConsoleTracerOptions = {}): Handler {
  return new ConsoleTracer(options);
}

class ConsoleTracer extends TraceTree<string> {
  private readonly write: (text: string) => void;
  private readonly paint: Paint;
  private readonly maxLength: number;

  constructor({ write = toConsole, colors, maxLength = 80, clock = wallClock }: ConsoleTracerOptions) {
    super(clock);
    this.write = write;
    this.paint = createPaint(colors ?? hasColors(currentProcess()));
    this.maxLength = maxLength;
  }

  protected override keep(value: unknown, info: RunInfo): string {
    return preview(value, info.component, value instanceof Error ? 4 * this.maxLength : this.maxLength);
  }

  protected override ended(run: TracedRun<string>): void {
    for (let outer = run.parent; outer !== undefined; outer = outer.parent) if (outer.outcome === undefined) return;
    this.write(drawRun(run, this.paint).join("\n"));
  }
}

function toConsole(text: string): void {
  console.log(text);
}
