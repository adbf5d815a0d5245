import { styleText } from "node:util";

export interface TerminalOptions {
  readonly write: (text: string) => void;
  /** @default false */
  readonly colors?: boolean | undefined;
  /** How many columns there are. @default 100 */
  readonly width?: number | undefined;
}

export type Style = "bold" | "dim" | "red" | "green" | "cyan";

/**
 * A page of text that several things are written to at the same time. Each waits for its turn, so that nothing stands in
 * the middle of a sentence that is still being written.
 */
export class Terminal {
  readonly width: number;
  readonly #write: (text: string) => void;
  readonly #colors: boolean;
  #turn: Promise<void> = Promise.resolve();

  constructor({ write, colors = false, width = 100 }: TerminalOptions) {
    this.#write = write;
    this.#colors = colors;
    this.width = width;
  }

  /** A line that says what something is. */
  printField(name: string, value: string): void {
    this.print(this.paint("dim", name.padEnd(10)) + value);
  }

  /** Lines under a heading. */
  printPart(heading: string, lines: readonly string[]): void {
    this.print([`\n${this.paint("bold", heading)}`, ...lines].join("\n"));
  }

  /** A line or several. */
  print(text: string): void {
    this.#take(() => this.#write(`${text}\n`));
  }

  /** One line, without what could move the cursor, and cut where the terminal ends. */
  printLine(style: Style, start: string, rest: string): void {
    const line = oneLine(rest, Math.max(20, this.width - start.length));
    this.print(this.paint(style, start) + line);
  }

  /** Text that comes piece by piece, as soon as it comes. Its lines are indented below its mark. */
  printStream(mark: string, pieces: AsyncIterable<string>, { maxLines = Number.POSITIVE_INFINITY } = {}): void {
    this.#take(async () => {
      const indent = " ".repeat(mark.length);
      let lines = 0;
      try {
        for await (const piece of pieces) {
          if (piece === "") continue;
          if (lines === 0) this.#write(this.paint("bold", mark));
          const [first = "", ...others] = withoutControls(piece).split("\n");
          lines = Math.max(lines, 1);
          if (lines <= maxLines) this.#write(first);
          for (const line of others) {
            lines += 1;
            if (lines <= maxLines) this.#write(`\n${indent}${line}`);
          }
        }
      } finally {
        if (lines > maxLines) this.#write(`\n${indent}${this.paint("dim", `… ${lines - maxLines} more lines`)}`);
        if (lines > 0) this.#write("\n");
      }
    });
  }

  paint(style: Style, text: string): string {
    return this.#colors ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    for (let turn: unknown; turn !== this.#turn; ) {
      turn = this.#turn;
      await turn;
    }
  }

  #take(write: () => void | Promise<void>): void {
    // a stream that fails has said so where it was made
    this.#turn = this.#turn.then(write).catch(() => undefined);
  }
}

function oneLine(text: string, length: number): string {
  const symbols = [
    ...withoutControls(text.slice(0, 4 * length))
      .trim()
      .replace(/\s+/g, " "),
  ];
  return symbols.length > length ? `${symbols.slice(0, length - 1).join("")}…` : symbols.join("");
}

/** Files and models may hold anything, also what would move the cursor of a terminal. */
function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}
