import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { WorkerSettings } from "./worker.js";

/** Processes with workers; each gets a number of its own. */
export class Workers {
  /** Those that were killed while runs were going on. */
  readonly killed = new Set<number>();
  readonly #living = new Map<number, ChildProcess>();
  readonly #program: string;
  readonly #settings: Omit<WorkerSettings, "life">;
  #count = 0;
  #stderr = "";

  constructor(program: string, settings: Omit<WorkerSettings, "life">) {
    this.#program = program;
    this.#settings = settings;
  }

  /** What they wrote that nobody expects. */
  get complaints(): string {
    return this.#stderr;
  }

  async start(): Promise<void> {
    const life = this.#count++;
    const settings: WorkerSettings = { ...this.#settings, life };
    const child = spawn(process.execPath, [this.#program, JSON.stringify(settings)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#living.set(life, child);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    const ready = once(child.stdout, "data");
    await Promise.race([ready, once(child, "exit")]);
    if (child.exitCode !== null) throw new Error(`A worker ended with ${child.exitCode}: ${this.#stderr}`);
  }

  /** Kills one of them, and starts another. */
  async killOne(): Promise<void> {
    const lives = [...this.#living.keys()];
    const life = lives[Math.floor(Math.random() * lives.length)] ?? 0;
    this.killed.add(life);
    await this.#kill(life);
    await this.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#living.keys()].map((life) => this.#kill(life)));
  }

  async #kill(life: number): Promise<void> {
    const child = this.#living.get(life);
    if (child === undefined) return;
    this.#living.delete(life);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }
}
