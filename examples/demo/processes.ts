import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";

/** Runs a script in two processes, one after the other, which share a folder that stays; gives the exit code. */
export async function runInTwo(script: string, args: readonly string[]): Promise<number> {
  const place = await mkdtemp(join(tmpdir(), "kumiko-demo-"));
  for (const part of ["1", "2"]) {
    const code = await run([script, ...args, "--part", part, "--place", place]);
    if (code !== 0) return code;
  }
  return 0;
}

/** Runs a script in a process of its own; gives the exit code. */
export function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

/** Asks at the terminal; where there is none, the answer is yes. */
export async function confirmAtTerminal(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    console.log(`${question} yes (there is no terminal to ask at)`);
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return !/^\s*n/i.test(await terminal.question(`${question} [Y/n] `));
  } finally {
    terminal.close();
  }
}
