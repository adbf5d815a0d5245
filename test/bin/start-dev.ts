import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { About, AppRow, LiveEvent } from "../../src/viewer/api.js";

export const root = join(import.meta.dirname, "../..");
const program = join(root, "src/bin/kumiko.ts");

/** A package of a user, with this one in it. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "kumiko-dev-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  symlinkSync(join(root, "tsconfig.json"), join(path, "tsconfig.json"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

/** Code that imports this package, and exports what is given. */
export const code = (text: string): string =>
  `import { Chain, Graph, START, END, memoryStore } from ${JSON.stringify(join(root, "src/index.ts"))};\n${text}`;

export interface Dev {
  readonly child: ChildProcess;
  /** What it has written. */
  output(): string;
  readonly address: string;
  readonly token: string;
  /** The address with the token. */
  readonly url: string;
  ask(path: string, init?: RequestInit): Promise<Response>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  about(): Promise<About>;
  apps(): Promise<string[]>;
}

/** Starts `kumiko dev`; resolves once it serves the page. */
export async function startDev(...args: string[]): Promise<Dev> {
  const child = spawn(process.execPath, ["--import", "tsx", program, "dev", ...args, "--no-open"], { cwd: root });
  let text = "";
  child.stdout?.on("data", (piece) => (text += piece));
  child.stderr?.on("data", (piece) => (text += piece));
  onTestFinished(() => void child.kill("SIGTERM"));
  await expect.poll(() => text, { timeout: 30_000 }).toMatch(/http:\S+#[\w-]{20,}/);
  const [, address = "", token = ""] = /(http:\S+\/)#([\w-]+)/.exec(text) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${address}api/${path}`, { ...init, headers: { ...headers, ...init.headers } });
  const get = async <T>(path: string): Promise<T> => (await ask(path)).json() as Promise<T>;
  const post = async <T>(path: string, body: object): Promise<T> => {
    const json = { "content-type": "application/json" };
    const sent = JSON.stringify({ key: String(Math.random()), ...body });
    return (await ask(path, { method: "POST", headers: json, body: sent })).json() as Promise<T>;
  };
  const about = () => get<About>("about");
  const apps = async (): Promise<string[]> => (await about()).apps.map(({ key }: AppRow) => key);
  return { child, output: () => text, address, token, url: `${address}#${token}`, ask, get, post, about, apps };
}

/** Waits for something slow: another process. */
export function soon<T>(read: () => T | Promise<T>) {
  return expect.poll(async () => read(), { timeout: 30_000, interval: 50 });
}

/** Notes what the live stream tells, as long as it lasts: until the program ends, at most. */
export async function followLive(dev: Dev, events: LiveEvent[]): Promise<void> {
  const response = await dev.ask("live");
  const reader = response.body?.getReader();
  const next = () => reader?.read().catch(() => undefined);
  let rest = "";
  for (let read = await next(); read?.done === false; read = await next()) {
    const lines = (rest + Buffer.from(read.value).toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") events.push(JSON.parse(line));
  }
}
