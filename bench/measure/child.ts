import { spawnSync } from "node:child_process";

/** Runs the program that is running once more, in a process of its own, and gives the lines that it prints, read as JSON. */
export function runAgain(programArguments: readonly string[], node = process.execPath): unknown[] {
  const program = process.argv[1] ?? "";
  const { stdout, status, signal } = spawnSync(node, ["--max-old-space-size=8192", program, ...programArguments], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) console.error(`${programArguments.join(" ")} ended with ${status ?? signal}.`);
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}
