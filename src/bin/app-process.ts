import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChildOptions } from "./dev-child.js";

/** The process in which the user's code runs. It is started again when a file of the package changes. */
export class AppProcess {
  readonly secret = randomBytes(24).toString("base64url");
  /** Where it serves the viewer; `undefined` while it does not. */
  port: number | undefined;
  /** Why it does not. */
  problem: string | undefined;
  readonly #options: ChildOptions;
  readonly #loader: readonly string[];
  #child: ChildProcess | undefined;
  #watcher: FSWatcher | undefined;

  constructor(options: ChildOptions, loader: readonly string[]) {
    this.#options = options;
    this.#loader = loader;
  }

  start(): void {
    this.#run();
    const folder = packageFolder(this.#options.file);
    let timer: NodeJS.Timeout | undefined;
    this.#watcher = watch(folder, { recursive: true }, (_event, name) => {
      if (name === null || isIgnored(relative(folder, join(folder, name)))) return;
      clearTimeout(timer);
      timer = setTimeout(() => void this.#restart(), 150);
    });
    // a system watches only so many files
    this.#watcher.on("error", ({ message }) => process.stderr.write(`Changes are no longer seen: ${message}\n`));
  }

  async stop(): Promise<void> {
    this.#watcher?.close();
    await this.#end();
  }

  #run(): void {
    const own = fileURLToPath(import.meta.url);
    const file = join(dirname(own), own.endsWith(".ts") ? "dev-child.ts" : "dev-child.js");
    const loader = own.endsWith(".ts") && this.#loader.length === 0 ? process.execArgv : this.#loader;
    const env = { ...process.env, KUMIKO_CHILD_SECRET: this.secret };
    const child = fork(file, [JSON.stringify(this.#options)], {
      execArgv: [...loader],
      env,
      stdio: ["ignore", 1, "pipe", "ipc"],
    });
    this.#child = child;
    let told = "";
    child.stderr?.on("data", (piece) => {
      process.stderr.write(piece);
      told = (told + String(piece)).slice(-4_000);
    });
    child.on("message", (message) => {
      if (typeof message !== "object" || message === null || !("port" in message)) return;
      this.port = Number(message.port);
      this.problem = undefined;
    });
    child.on("exit", (code) => {
      if (this.#child !== child) return;
      this.port = undefined;
      this.problem = `The app ended (exit code ${code}). ${placeOf(told)}Change a file to start it again.`;
    });
  }

  async #restart(): Promise<void> {
    await this.#end();
    this.problem = undefined;
    this.#run();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.port = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(timer);
  }
}

/** The message of the error and where it was thrown. */
function placeOf(told: string): string {
  const message = /^(?:\w*Error(?: \[\w+\])?: .*)$/m.exec(told)?.[0];
  const place = /(?:file:\/\/)?(\/[^\s():]+:\d+)(?::\d+)?/.exec(told)?.[1];
  return message === undefined ? "" : `${message}${place === undefined ? "" : ` (${place})`} `;
}

function packageFolder(file: string): string {
  const own = dirname(resolve(file));
  for (let folder = own; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return own;
  }
}

function isIgnored(path: string): boolean {
  return path.split(sep).some((part) => part === "node_modules" || part === "dist" || part.startsWith("."));
}
