import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import type { CodeBlock } from "./markdown.js";
import type { SnippetReport } from "./run-snippets-child.js";
import type { Snippet } from "./snippet.js";

const child = fileURLToPath(new URL("./run-snippets-child.ts", import.meta.url));
/** The child gives every snippet a function of this name; it starts the output anew. */
const startOutput = "__startOutput";

export interface RunOptions {
  /** A folder below the repository's root, so that packages are found; made before and removed after. */
  readonly folder: string;
  /** How long a block may run. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** How long what a block leaves running may go on. @default 5_000 */
  readonly patienceMs?: number | undefined;
  /** The Node.js that runs them. @default the one of this process */
  readonly node?: string | undefined;
}

type Block = { readonly block: CodeBlock; readonly snippet: Snippet };

/**
 * Runs blocks one after the other, in one process with the built package: another one is started only after a block that ends the
 * process, or never ends. Returns one line per failure: page, line, message.
 */
export async function runBlocks(
  blocks: readonly Block[],
  { folder, timeoutMs = 60_000, patienceMs = 5_000, node = process.execPath }: RunOptions,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  try {
    const runner = join(folder, "run-snippets.mjs");
    const paths = blocks.map((_, index) => join(folder, `snippet-${index}.mjs`));
    writeFileSync(runner, await compile(readFileSync(child, "utf8")));
    await Promise.all(blocks.map(async ({ snippet }, index) => writeFileSync(paths[index] ?? "", await emit(snippet))));
    const problems: string[] = [];
    for (let next = 0; next < blocks.length; ) {
      const { reports, ending } = await runChild(runner, paths, { next, timeoutMs, patienceMs, node });
      for (const report of reports) {
        const block = blocks[report.index];
        if (block !== undefined) problems.push(...judge(block, report, paths[report.index] ?? ""));
        next = report.index + 1;
      }
      const unfinished = ending === undefined || reports.at(-1)?.error !== undefined ? undefined : blocks[next];
      if (unfinished === undefined) continue;
      problems.push(`${unfinished.block.page}:${unfinished.block.line} did not finish: ${ending}`);
      next++;
    }
    return problems;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A snippet as JavaScript that says in its traces where in the snippet it is. */
function emit({ lines, start }: Snippet): Promise<string> {
  return compile(lines.map(({ text }, index) => (index === start ? `globalThis.${startOutput}();` : text)).join("\n"));
}

async function compile(text: string): Promise<string> {
  const { code } = await transform(text, { loader: "ts", format: "esm", target: "es2022", sourcemap: "inline" });
  return code;
}

interface ChildResult {
  readonly reports: readonly SnippetReport[];
  /** How the process ended, if not well. */
  readonly ending: string | undefined;
}

/** Runs the snippets from `next` on in one process, until one of them ends it. */
function runChild(
  runner: string,
  paths: readonly string[],
  {
    next,
    timeoutMs,
    patienceMs,
    node,
  }: { readonly next: number; readonly timeoutMs: number; readonly patienceMs: number; readonly node: string },
): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const reports: SnippetReport[] = [];
    const snippets = paths.map((path, index) => `${index}:${path}`).slice(next);
    const started = spawn(node, ["--enable-source-maps", runner, `${patienceMs}`, ...snippets], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_ENV: undefined, VITEST: undefined },
    });
    let errors = "";
    let late = false;
    const stop = () => {
      late = true;
      started.kill("SIGKILL");
    };
    let timer = setTimeout(stop, timeoutMs);
    started.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    started.on("message", (report: SnippetReport) => {
      reports.push(report);
      clearTimeout(timer);
      timer = setTimeout(stop, timeoutMs);
    });
    started.on("error", reject);
    started.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve({ reports, ending: undefined });
      const reason = late ? `it took more than ${timeoutMs} ms` : `the process ended with ${code}`;
      resolve({ reports, ending: [reason, errors.trimEnd()].filter((text) => text !== "").join("\n") });
    });
  });
}

function judge({ block, snippet }: Block, report: SnippetReport, path: string): string[] {
  if (report.error !== undefined) return [describeError(report.error, snippet, path)];
  if (report.leftovers === undefined) return compareOutput(block, report.output);
  return [`${block.page}:${block.line} leaves something behind that runs: ${report.leftovers.join(", ")}`];
}

function describeError(
  { message, stack }: NonNullable<SnippetReport["error"]>,
  { lines, origin }: Snippet,
  path: string,
): string {
  const file = path.replaceAll("\\", "/").split("/").slice(-2).join("/");
  // the source map has no name for the snippet but its own folder
  const place = new RegExp(`${escaped(file)}:(\\d+)|<stdin>:(\\d+)`).exec(stack.replaceAll("\\", "/"));
  const { page, line } = lines[Number(place?.[1] ?? place?.[2]) - 1]?.origin ?? origin;
  return `${page}:${line} failed: ${message}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function compareOutput({ output }: CodeBlock, printed: string): string[] {
  if (output === undefined || printed.trimEnd() === output.text.trimEnd()) return [];
  return [`${output.page}:${output.line} does not print this, but:\n${printed.trimEnd()}`];
}
