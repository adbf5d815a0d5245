// Checks the laws of the chunking strategies with 10,000 documents each; takes minutes. Tests do it with a few.
import { spawnSync } from "node:child_process";

const { status } = spawnSync("npx", ["vitest", "run", "test/rag/chunking", ...process.argv.slice(2)], {
  stdio: "inherit",
  shell: process.platform === "win32",
  env: { ...process.env, KUMIKO_DOCUMENTS: process.env.KUMIKO_DOCUMENTS ?? "10000" },
});
process.exitCode = status ?? 1;
