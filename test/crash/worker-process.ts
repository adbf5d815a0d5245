import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import type { LogLine } from "./effects-log.js";
import type { Receipt } from "./order-graph.js";

export interface WorkerSettings {
  readonly store: StoreSettings;
  /** The file in which everything is noted. */
  readonly log: string;
  /** The checkpoint. */
  readonly id: string;
  /** Which process of this run it is. */
  readonly life: number;
  readonly command: "invoke" | "resume";
  readonly seed: number;
  /** Runs on streams. @default false */
  readonly isStream?: boolean;
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly takeover?: boolean;
  /** Waits for a line "go" before it runs. */
  readonly isAsked?: boolean;
  /** Effects that wait for a line with their name. */
  readonly holds?: readonly string[];
  /** Kills itself right after so many lines of the record. */
  readonly dieAt?: number | undefined;
}

export interface StoreSettings {
  readonly sqlite?: string;
  readonly postgres?: string;
  /** Acknowledges before it has written. */
  readonly forgets?: boolean;
}

/** What a worker says of its run. */
export type Outcome =
  | { readonly outcome: "ready" }
  | { readonly outcome: "done"; readonly receipt: Receipt }
  | { readonly outcome: "waits"; readonly questions: readonly { readonly id: string; readonly info: unknown }[] }
  | { readonly outcome: "failed"; readonly code: string; readonly message: string };

/** Bundles the worker into a folder, once: it then starts in a moment. Drivers stay where they are. */
export async function bundleWorker(folder: string): Promise<string> {
  const script = join(folder, "worker.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    outfile: script,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [
      {
        name: "drivers",
        setup({ onResolve }) {
          onResolve({ filter: /^(libsql|pg)$/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true }));
        },
      },
    ],
  });
  return script;
}

const running = new Set<ChildProcess>();

export class WorkerProcess {
  /** What it has added to the record. */
  readonly lines: LogLine[] = [];
  /** What it said last; `undefined` when it was killed. */
  readonly end: Promise<Outcome | undefined>;
  /** Called at each line of the record. */
  onLine: ((count: number) => void) | undefined = undefined;
  readonly #child: ChildProcess;
  #outcome: Outcome | undefined = undefined;
  #changed: () => void = () => {};

  constructor(script: string, settings: WorkerSettings) {
    const child = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    running.add(child);
    child.stdin.on("error", () => {}); // it was killed before it read this
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.#hear(JSON.parse(line)));
    this.end = once(child, "close").then(([code, signal]) => {
      running.delete(child);
      this.#changed();
      if (signal === "SIGKILL") return undefined;
      if (code !== 0 || stderr !== "") throw new Error(`The worker ended with ${code}: ${stderr}`);
      return this.#outcome;
    });
    this.end.catch(() => {}); // whoever waits for it hears of it
  }

  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** It has been told all. */
  closeInput(): void {
    this.#child.stdin?.end();
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.end;
  }

  /** Waits until it has written such a line. */
  async wrote(kind: LogLine["kind"], task: string): Promise<void> {
    await this.#until(() => this.lines.some((line) => line.kind === kind && line.task === task), `${kind} ${task}`);
  }

  /** Waits for what it says of itself or of its run. */
  async said(outcome: Outcome["outcome"]): Promise<Outcome> {
    return this.#until(() => (this.#outcome?.outcome === outcome ? this.#outcome : undefined), outcome);
  }

  #hear(said: LogLine | Outcome): void {
    if ("outcome" in said) this.#outcome = said;
    else {
      this.lines.push(said);
      this.onLine?.(this.lines.length);
    }
    this.#changed();
  }

  async #until<T>(look: () => T | undefined | false, what: string): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (!running.has(this.#child) || this.#outcome?.outcome === "failed") {
        throw new Error(`The worker ended without ${what}: ${JSON.stringify(this.#outcome)}`);
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

/** Ends what a test has left running. */
export function killWorkers(): void {
  for (const child of running) child.kill("SIGKILL");
}
