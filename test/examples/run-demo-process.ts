import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { usePrograms } from "../programs.js";

export const root = join(import.meta.dirname, "../..");

const main = join(root, "examples/demo/main.ts");
const programOf = usePrograms(main);

export interface DemoRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ofModels = /^(?:KUMIKO_|(?:OPENAI|ANTHROPIC|GOOGLE_GENERATIVE_AI|XAI)_API_KEY$)/;

/** Runs the demo as `npm run demo` does, without the keys of whoever tests. */
export function demo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<DemoRun> {
  const temporary = mkdtempSync(join(tmpdir(), "kumiko-demo-test-"));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofModels.test(name)));
  const child = spawn(process.execPath, [programOf(main), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...own, NO_COLOR: "1", FORCE_COLOR: undefined, INIT_CWD: root, TMPDIR: temporary, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
