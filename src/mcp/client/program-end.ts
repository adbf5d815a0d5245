import { isFields } from "../../is.js";

/** How much is kept of what a program prints to its standard error. */
const longestOutput = 2_000;

/** The connection to a program failed, because the program has ended. */
export class ProgramEnded extends Error {
  override readonly name = "ProgramEnded";
}

/** Notes how a program ends and what it printed last, because the client only says that the connection was closed. */
export class ProgramEnd {
  #how: string | undefined;
  #output: string | undefined;

  /** `process` is a child process of Node.js; anything else is ignored. */
  watch(process: unknown): void {
    if (!isFields(process) || typeof process.once !== "function") return;
    process.once("exit", (code: number | null, signal: string | null) => {
      this.#how = code === null ? `was ended by ${String(signal)}` : `exited with code ${code}`;
    });
  }

  /** Keeps the end of the output. Called at first with an empty text, if the output is read at all. */
  read(text: string): void {
    this.#output = ((this.#output ?? "") + text).slice(-longestOutput);
  }

  /** An error that says how the program ended; `undefined` while it runs. */
  error(cause: unknown): ProgramEnded | undefined {
    if (this.#how === undefined) return undefined;
    return new ProgramEnded(`The program ${this.#how}. ${this.#printed}`, { cause });
  }

  get #printed(): string {
    const text = this.#output?.trim();
    if (text === undefined) return 'Set stderr: "pipe" to see here what it prints to its standard error.';
    return text === "" ? "It printed nothing to its standard error." : `Its standard error: ${text}`;
  }
}
