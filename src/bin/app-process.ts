import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { DevState } from "../viewer/api.js";
import type { ChildOptions } from "./dev-child.js";
import { watchFolder } from "./watch-folder.js";

/** `dist`, or `src`: where the code of this package is. */
const ours = dirname(dirname(fileURLToPath(import.meta.url))) + sep;
const settleMs = 150;
const pingMs = 2_000;
const silentMs = 10_000;
/** A stop takes 5 s, and a little. */
const stopMs = 7_000;

/** The process in which the user's code runs. It is started again when a file of the package changes. */
export class AppProcess {
  readonly secret = randomBytes(24).toString("base64url");
  /** Where it serves the viewer; `undefined` while it does not. */
  port: number | undefined;
  state: DevState = { status: "starting", hasChanged: false };
  readonly #options: ChildOptions;
  readonly #loader: readonly string[];
  readonly #listeners = new Set<() => void>();
  #child: ChildProcess | undefined;
  /** It was asked to end, and has not yet. */
  #ending: ChildProcess | undefined;
  #unwatch: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #openRuns = 0;
  #restarting: Promise<void> | undefined;

  constructor(options: ChildOptions, loader: readonly string[]) {
    this.#options = options;
    this.#loader = loader;
  }

  start(): void {
    this.#run();
    this.#timer = setInterval(() => this.#ping(), pingMs);
    const { file } = this.#options;
    if (file === undefined) return;
    let settling: NodeJS.Timeout | undefined;
    this.#unwatch = watchFolder(packageFolder(file), () => {
      clearTimeout(settling);
      settling = setTimeout(() => void this.#changed(), settleMs);
    });
  }

  /** Called when it starts, ends or falls silent. Returns a function that ends it. */
  onState(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets the runs stop first, unless it does not answer. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#unwatch();
    await this.#end();
  }

  /** At once, and also what is about to end: a loop of the user's code would live on without a parent. */
  kill(): void {
    this.#child?.kill("SIGKILL");
    this.#ending?.kill("SIGKILL");
  }

  restart(): Promise<void> {
    this.#restarting ??= this.#end()
      .then(() => this.#run())
      .finally(() => {
        this.#restarting = undefined;
      });
    return this.#restarting;
  }

  /** Open runs are not ended without being asked. */
  async #changed(): Promise<void> {
    if (this.state.status === "running" && (await this.#hasOpenRuns())) this.#set({ hasChanged: true });
    else await this.restart();
  }

  async #hasOpenRuns(): Promise<boolean> {
    const child = this.#child;
    if (child === undefined) return false;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, 1_000);
      child.once("message", () => {
        clearTimeout(timer);
        done();
      });
      send(child, "ping");
    });
    return this.#openRuns > 0;
  }

  #set(state: Partial<DevState>): void {
    this.state = { ...this.state, ...state };
    for (const listener of this.#listeners) listener();
  }

  #ping(): void {
    const child = this.#child;
    if (child === undefined) return;
    send(child, "ping");
    const isSilent = Date.now() - this.#heardAt > silentMs;
    const message = "The app does not answer: a loop may never end. Restart ends it.";
    if (isSilent && this.state.status !== "silent") this.#set({ status: "silent", message });
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
    this.#heardAt = Date.now();
    this.#openRuns = 0;
    this.state = { status: "starting", hasChanged: false };
    this.#set({});
    let told = "";
    child.stderr?.on("data", (piece) => {
      process.stderr.write(piece);
      told = (told + String(piece)).slice(-8_000);
    });
    child.on("message", (message) => {
      if (this.#child === child) this.#heard(message);
    });
    child.on("exit", (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.port = undefined;
      const { message, place } = failureIn(told, packageFolder(this.#options.file ?? "."));
      const how = code === null ? `by ${signal}` : `with code ${code}`;
      const said = message ?? `It ended ${how}.`;
      this.#set({ status: "ended", message: said, ...(place !== undefined && { place }), hasChanged: false });
    });
  }

  #heard(message: unknown): void {
    this.#heardAt = Date.now();
    if (typeof message !== "object" || message === null) return;
    if ("openRuns" in message) this.#openRuns = Number(message.openRuns);
    if ("port" in message) this.port = Number(message.port);
    const { hasChanged, status } = this.state;
    if (this.port === undefined || status === "running") return;
    this.state = { status: "running", hasChanged };
    this.#set({});
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.port = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.#ending = child;
    const ended = new Promise((done) => child.once("exit", done));
    const isSilent = this.state.status !== "running";
    if (isSilent) child.kill("SIGKILL");
    else send(child, "stop");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
    await ended;
    this.#ending = undefined;
    clearTimeout(timer);
  }
}

/** It may have ended just now. */
function send(child: ChildProcess, message: string): void {
  if (child.connected) child.send(message, () => undefined);
}

/** What an error that ended a process said, and where in the files of the user it was thrown. */
export function failureIn(
  told: string,
  folder: string,
): { readonly message: string | undefined; readonly place: string | undefined } {
  const message = /^(?:Uncaught )?(\w*Error(?: \[\w+\])?: .*)$/m.exec(told)?.[1];
  const places = [...told.matchAll(/(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^\s():]+:\d+)(?::\d+)?/g)].map(
    ([, at]) => at ?? "",
  );
  const own = places.find((at) => at.startsWith(folder) && !at.includes("node_modules") && !at.startsWith(ours));
  // where this package threw helps nobody
  const others = places.filter((at) => !at.startsWith(ours));
  return { message, place: own ?? (message === undefined ? undefined : others[0]) };
}

function packageFolder(file: string): string {
  const own = dirname(resolve(file));
  for (let folder = own; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return own;
  }
}
