import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { usePrograms } from "../../programs.js";

const root = join(import.meta.dirname, "../../..");
const script = join(import.meta.dirname, "client.ts");
const programOf = usePrograms(script);

/** A process that runs `client.ts`. */
export class ClientProcess {
  /** What it has said so far. */
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor(connectionString: string, values: readonly string[], host?: string) {
    const child = spawn(process.execPath, [programOf(script), connectionString, ...values], {
      cwd: root,
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, KUMIKO_TEST_HOST: host },
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.lines.push(line));
    this.#child = child;
    this.#exit = once(child, "close");
  }

  /** Waits until it has said so many lines, and gives the last of these. */
  async says(count: number): Promise<string> {
    while (this.lines.length < count) {
      if (this.#child.exitCode !== null) throw new Error(`The client ended with ${this.#child.exitCode}.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.lines[count - 1] ?? "";
  }

  /** Gives it the line of input that it waits for. */
  go(): void {
    this.#child.stdin?.end("go\n");
  }

  /** Waits until it has ended by itself, and gives its exit code. */
  async ends(): Promise<number | null> {
    await this.#exit;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
