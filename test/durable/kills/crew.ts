import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { WorkerSettings } from "./worker.js";

interface Member {
  readonly child: ChildProcess;
  /** Ends with the process. */
  readonly exit: Promise<unknown>;
}

/** Processes that work on runs; each gets a number of its own. */
export class Crew {
  /** When each that was killed was killed. */
  readonly killed = new Map<number, number>();
  readonly #living = new Map<number, Member>();
  readonly #program: string;
  readonly #settings: Omit<WorkerSettings, "life">;
  readonly #complaints: string[] = [];
  #count = 0;
  /** Told to each process as it starts, and to all as it happens. */
  greetings: () => readonly string[] = () => [];

  constructor(program: string, settings: Omit<WorkerSettings, "life">) {
    this.#program = program;
    this.#settings = settings;
  }

  /** What they wrote that nobody expects, and which of them ended by themselves. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  async hire(): Promise<void> {
    const life = this.#count++;
    const settings: WorkerSettings = { ...this.#settings, life };
    const child = spawn(process.execPath, [this.#program, JSON.stringify(settings)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const exit = once(child, "exit").then(([code, signal]) => {
      if (this.#living.delete(life)) this.#complaints.push(`worker ${life} ended by itself: ${code ?? signal}`);
    });
    this.#living.set(life, { child, exit });
    child.stdin.on("error", () => undefined); // it was killed
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#complaints.push(text));
    await Promise.race([once(child.stdout, "data"), exit]);
    for (const line of this.greetings()) child.stdin.write(`${line}\n`);
  }

  tell(line: string): void {
    for (const { child } of this.#living.values()) child.stdin?.write(`${line}\n`);
  }

  async kill(life = this.#anyone()): Promise<void> {
    const member = this.#living.get(life);
    if (member === undefined) return;
    this.#living.delete(life);
    this.killed.set(life, Date.now());
    member.child.kill("SIGKILL");
    await member.exit;
  }

  /** Lets one of them do nothing for a while; it may be killed meanwhile. */
  freeze(milliseconds: number): void {
    const { child } = this.#living.get(this.#anyone()) ?? {};
    child?.kill("SIGSTOP");
    setTimeout(() => child?.kill("SIGCONT"), milliseconds);
  }

  /** Ends one of them as a deployment does. */
  async stop(life = this.#anyone()): Promise<void> {
    const member = this.#living.get(life);
    if (member === undefined) return;
    this.#living.delete(life);
    member.child.kill("SIGTERM");
    await member.exit;
    const { exitCode, signalCode } = member.child;
    if (exitCode !== 0) this.#complaints.push(`worker ${life} stopped with ${exitCode ?? signalCode}`);
  }

  /** Ends all of them at once. */
  async dismiss(): Promise<void> {
    await Promise.all([...this.#living.keys()].map((life) => this.kill(life)));
  }

  #anyone(): number {
    const lives = [...this.#living.keys()];
    return lives[Math.floor(Math.random() * lives.length)] ?? -1;
  }
}
