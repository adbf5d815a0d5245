import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { snippetPath } from "./check-types.js";
import type { CodeBlock } from "./markdown.js";
import type { SnippetReport } from "./run-snippets-child.js";
import type { Snippet } from "./snippet.js";

const child = fileURLToPath(new URL("./run-snippets-child.ts", import.meta.url));
/** The child gives every snippet a function of this name; it starts the output anew. */
const startOutput = "__startOutput";

export interface RunOptions {
  /** A folder below the repository's root, so that packages are found; made before and removed after. */
  readonly folder: string;
  readonly timeoutMs?: number | undefined;
}

/** Runs the blocks of one page, one after the other in one process. Gives one line per failure: page, line, message. */
export async function runBlocks(
  blocks: readonly { readonly block: CodeBlock; readonly snippet: Snippet }[],
  { folder, timeoutMs = 60_000 }: RunOptions,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  try {
    const paths = blocks.map((_, index) => snippetPath(folder, index));
    for (const [index, { snippet }] of blocks.entries()) {
      writeFileSync(join(folder, `snippet-${index}.ts`), withStartOutput(snippet));
    }
    const { reports, ending } = await runChild(paths, timeoutMs);
    const problems = blocks.flatMap(({ block, snippet }, index) => {
      const report = reports.get(index);
      if (report === undefined) return [`${block.page}:${block.line} did not finish: ${ending ?? "it said nothing"}`];
      if (report.error !== undefined) return [describeError(report, snippet, snippetPath(folder, index))];
      return compareOutput(block, report.output);
    });
    if (problems.length > 0 || ending === undefined) return problems;
    return [`${blocks[0]?.block.page}:1 has a block that leaves something behind: ${ending}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withStartOutput({ lines, start }: Snippet): string {
  return lines.map(({ text }, index) => (index === start ? `globalThis.${startOutput}();` : text)).join("\n");
}

interface ChildResult {
  readonly reports: ReadonlyMap<number, SnippetReport>;
  /** How the process ended, if not well. */
  readonly ending: string | undefined;
}

function runChild(paths: readonly string[], timeoutMs: number): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const reports = new Map<number, SnippetReport>();
    const started = spawn(process.execPath, ["--import", "tsx", child, ...paths], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_ENV: undefined, VITEST: undefined },
    });
    let errors = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      started.kill("SIGKILL");
    }, timeoutMs);
    started.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    started.on("message", (report: SnippetReport) => reports.set(report.index, report));
    started.on("error", reject);
    started.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve({ reports, ending: undefined });
      const reason = late ? `it took more than ${timeoutMs} ms` : `the process ended with ${code}`;
      resolve({ reports, ending: [reason, errors.trimEnd()].filter((text) => text !== "").join("\n") });
    });
  });
}

function describeError({ error }: SnippetReport, { lines, origin }: Snippet, path: string): string {
  const file = path.replaceAll("\\", "/").split("/").slice(-2).join("/");
  const frame = (error?.stack ?? "")
    .replaceAll("\\", "/")
    .split("\n")
    .find((line) => line.includes(`${file}:`));
  const line = Number(/:(\d+)(:\d+)?\)?$/.exec(frame ?? "")?.[1]);
  const place = lines[line - 1]?.origin ?? origin;
  return `${place.page}:${place.line} failed: ${error?.message}`;
}

function compareOutput({ output }: CodeBlock, printed: string): string[] {
  if (output === undefined || printed.trimEnd() === output.text.trimEnd()) return [];
  return [`${output.page}:${output.line} does not print this, but:\n${printed.trimEnd()}`];
}
