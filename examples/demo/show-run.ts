import { componentHandlers, consoleTracer, type Handler, textOf } from "kumiko";
import type { Terminal } from "./terminal.js";
import { isUnknown, plainReason } from "./tools.js";

/** How many lines of a streaming tool are shown; the model gets all of them. */
const SHOWN_LINES = 6;

/** A handler that shows what the model says and what the tools do, while they do it. */
export function showRun(terminal: Terminal): Handler {
  return componentHandlers({
    model: {
      onEndWithStreamOutput: (_info, chunks) =>
        terminal.printStream(
          "● ",
          chunks.map(({ message }) => textOf(message)),
        ),
    },
    tool: {
      onStart: ({ name }, { arguments: json }) => {
        terminal.printLine("cyan", `  → ${name} `, json);
        return performance.now();
      },
      onEnd: ({ name }, { result }, startedAt) => {
        const text = typeof result === "string" ? result : `${result.length} parts`;
        // an unknown tool has no result, but an answer that says so
        const mark = isUnknown(text) ? "?" : "✓";
        terminal.printLine("green", `  ${mark} ${name} `, `${timeSince(startedAt)} ${text}`);
      },
      onEndWithStreamOutput: async ({ name }, chunks, startedAt) => {
        let lines = 0;
        for await (const { result } of chunks) {
          if (result === "") continue; // a tool that yields nothing has an empty result
          lines += 1;
          if (lines <= SHOWN_LINES) terminal.printLine("dim", `  │ ${name} `, result);
        }
        const hidden = lines > SHOWN_LINES ? `, ${lines - SHOWN_LINES} of them not shown` : "";
        terminal.printLine(
          "green",
          `  ✓ ${name} `,
          `${timeSince(startedAt)} ${lines === 1 ? "1 line" : `${lines} lines`}${hidden}`,
        );
      },
      onEvent: ({ name }, event) => {
        if (event.kind === "progress") terminal.printLine("dim", `  · ${name} `, String(event.event));
      },
      onError: ({ name }, error) => {
        terminal.printLine("red", `  ✗ ${name} `, plainReason(error));
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
