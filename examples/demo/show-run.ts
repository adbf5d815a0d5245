import { componentHandlers, consoleTracer, type Handler, type RunInfo, textOf } from "kumiko";
import type { Terminal } from "./terminal.js";
import { isUnknown, plainReason } from "./tools.js";

/** How many lines of a streaming tool are shown; the model gets all of them. */
const SHOWN_LINES = 6;

export interface ShowOptions {
  /** Whether everything is shown: what sub-agents do, and the progress and the lines of tools. @default false */
  readonly all?: boolean | undefined;
  /** How many lines of an answer are shown. @default all */
  readonly maxLines?: number | undefined;
}

/** A handler that shows what the model says and what the tools do, while they do it. */
export function showRun(terminal: Terminal, { all = false, maxLines }: ShowOptions = {}): Handler {
  const isShown = ({ address }: RunInfo, own: number) => all || address.split("tool:").length - 1 <= own;
  return componentHandlers({
    model: {
      onEndWithStreamOutput: async (info, chunks) => {
        if (!isShown(info, 0)) return chunks.cancel();
        const texts = chunks.map(({ message }) => textOf(message));
        terminal.printStream("● ", texts, { maxLines: all ? undefined : maxLines });
      },
    },
    tool: {
      onStart: (info, { arguments: json }) => {
        if (isShown(info, 1)) terminal.printLine("cyan", `  → ${info.name} `, json);
        return performance.now();
      },
      onEnd: (info, { result }, startedAt) => {
        const { name } = info;
        if (!isShown(info, 1)) return;
        const text = typeof result === "string" ? result : `${result.length} parts`;
        // an unknown tool has no result, but an answer that says so
        const mark = isUnknown(text) ? "?" : "✓";
        terminal.printLine("green", `  ${mark} ${name} `, `${timeSince(startedAt)} ${text}`);
      },
      onEndWithStreamOutput: async (info, chunks, startedAt) => {
        if (!isShown(info, 1)) return chunks.cancel();
        const { name } = info;
        let lines = 0;
        for await (const { result } of chunks) {
          if (result === "") continue; // a tool that yields nothing has an empty result
          lines += 1;
          if (all && lines <= SHOWN_LINES) terminal.printLine("dim", `  │ ${name} `, result);
        }
        const hidden = all && lines > SHOWN_LINES ? `, ${lines - SHOWN_LINES} of them not shown` : "";
        terminal.printLine(
          "green",
          `  ✓ ${name} `,
          `${timeSince(startedAt)} ${lines === 1 ? "1 line" : `${lines} lines`}${hidden}`,
        );
      },
      onEvent: ({ name }, event) => {
        if (all && event.kind === "progress") terminal.printLine("dim", `  · ${name} `, String(event.event));
      },
      onError: (info, error) => {
        const { name } = info;
        if (isShown(info, 1)) terminal.printLine("red", `  ✗ ${name} `, plainReason(error));
      },
    },
  });
}

/** Collects the lines of a trace, to be printed when all is over. */
export function collectTrace(
  terminal: Terminal,
  colors: boolean | undefined,
): { readonly lines: readonly string[]; readonly handler: Handler } {
  const lines: string[] = [];
  const maxLength = Math.max(40, terminal.width - 60);
  return { lines, handler: consoleTracer({ write: (text) => lines.push(text), colors, maxLength }) };
}

function timeSince(startedAt: number): string {
  return `${(performance.now() - startedAt).toFixed(0)} ms`;
}
