import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");
const execute = promisify(execFile);

/**
 * Only the interpreter runs. It allocates what the source says; an optimising compiler leaves out what it can, depending on
 * when it started and what it had seen by then, and its code fills the heap. Nor is byte code given up and made anew.
 */
export const interpreted: readonly string[] = [
  "--no-opt",
  "--no-maglev",
  "--no-sparkplug",
  "--no-flush-bytecode",
  "--single-threaded",
];

/** What makes a count repeat: besides, nothing is collected while it is taken. */
const flags: readonly string[] = [...interpreted, "--min-semi-space-size=128", "--max-semi-space-size=128"];

/** Runs a program, bundled, in processes of its own. */
export interface Children {
  /** Starts one process and gives what it prints, which is JSON. */
  run(args: readonly string[]): Promise<unknown>;
  close(): void;
}

export async function bundleChild(source: string, nodeFlags: readonly string[] = flags): Promise<Children> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-gates-"));
  await build({
    entryPoints: { child: source },
    tsconfig: join(root, "tsconfig.json"),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    logLevel: "error",
  });
  return {
    async run(args) {
      const command = [...nodeFlags, join(folder, "child.mjs"), ...args];
      try {
        const { stdout } = await execute(process.execPath, command, { env: { ...process.env, NODE_OPTIONS: "" } });
        return JSON.parse(stdout);
      } catch (error) {
        throw new Error(`Measuring ${args.join(" ")} failed. ${stderrOf(error)}`);
      }
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** What a process that failed has said; its command line tells nobody anything. */
function stderrOf(error: unknown): string {
  return error instanceof Error && "stderr" in error && error.stderr !== "" ? String(error.stderr) : String(error);
}

/** Calls a function for every item, as many at a time as there are processors; results in the order of the items. */
export async function forEachProcessor<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(items.length, availableParallelism()) }, worker));
  return results;
}
