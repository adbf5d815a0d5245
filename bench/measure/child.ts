import { spawnSync } from "node:child_process";

/** Runs the program that is running once more, in a process of its own, and gives what it prints as its last line, read as JSON. */
export function runAgain(programArguments: readonly string[], node = process.execPath): unknown {
  const program = process.argv[1] ?? "";
  const { stdout, status } = spawnSync(node, ["--max-old-space-size=8192", program, ...programArguments], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${programArguments.join(" ")} ended with ${status}.`);
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}
