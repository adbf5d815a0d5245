import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** One line of the record that all processes of a run append to. What stands there has happened, whoever is killed. */
export interface LogLine {
  /** Which process of the run, from 1 on. */
  readonly life: number;
  /** Which macrotask of that process: promises that were ready in one turn have been answered before the next. */
  readonly turn: number;
  /**
   * `begin` and `end` of an effect; `put` and `kept` of a save, which has been tried and acknowledged; `refused`: somebody
   * else has written the checkpoint meanwhile; `aborted`: an effect that is under way hears that its run has ended.
   */
  readonly kind: "begin" | "end" | "put" | "kept" | "refused" | "aborted";
  /** What the node or tool call is for, the same in every process; empty for saves. */
  readonly task: string;
  /** A task may have several. */
  readonly effect: string;
  readonly taskKey: string;
}

/** Appends to the record, one line in one write. */
export class EffectsLog {
  readonly #file: number;
  readonly #life: number;
  readonly #heard: (line: LogLine) => void;
  #turn = 0;
  #isCounting = false;

  constructor(path: string, life: number, heard: (line: LogLine) => void) {
    this.#file = openSync(path, "a");
    this.#life = life;
    this.#heard = heard;
  }

  write(kind: LogLine["kind"], { task = "", effect = "", taskKey = "" }: Partial<LogLine> = {}): void {
    const line: LogLine = { life: this.#life, turn: this.#turn, kind, task, effect, taskKey };
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#countTurn();
    this.#heard(line);
  }

  close(): void {
    closeSync(this.#file);
  }

  #countTurn(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => {
      this.#turn += 1;
      this.#isCounting = false;
    });
  }
}

export function readLog(path: string): LogLine[] {
  appendFileSync(path, "");
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogLine);
}

export const nameOf = ({ task, effect }: Pick<LogLine, "task" | "effect">): string => `${task}.${effect}`;
