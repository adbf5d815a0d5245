import { spawn } from "node:child_process";
import { join } from "node:path";

export interface ViewOptions {
  /** The folder of this repository. */
  readonly repository: string;
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
  /** Whether a browser is opened. */
  readonly isOpened: boolean;
}

/** Shows two runs in `kumiko dev`: both wait for an answer. Returns when it is stopped. */
export async function viewDemo({ repository, write, signal, isOpened }: ViewOptions): Promise<void> {
  const file = join("examples", "demo", "viewed.ts");
  const args = ["src/bin/kumiko.ts", "dev", file, ...(isOpened ? [] : ["--no-open"])];
  const child = spawn(process.execPath, ["--import", "tsx", "--disable-warning=ExperimentalWarning", ...args], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  signal.addEventListener("abort", () => child.kill("SIGINT"), { once: true });
  let said = "";
  const address = await new Promise<string | undefined>((done) => {
    child.stdout.on("data", (piece) => {
      said += piece;
      const found = /http:\S+#\S+/.exec(said)?.[0];
      if (found !== undefined) done(found);
    });
    void ended.then(() => done(undefined));
  });
  if (address === undefined) return;
  const { origin, hash } = new URL(address);
  const ask = async (path: string, body?: object): Promise<Response> =>
    fetch(`${origin}/api/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  while (!signal.aborted && !(await ask("runs")).ok) await new Promise((resolve) => setTimeout(resolve, 100));
  await ask("start", { app: "order", input: { what: "oak chair", euros: 240 }, key: "order" });
  await ask("start", { app: "desk", input: { message: "A table for four on Friday?" }, key: "desk" });
  write(`Open ${address}\nTwo runs wait for your answer in the inbox. Ctrl C ends it.\n`);
  await ended;
}
