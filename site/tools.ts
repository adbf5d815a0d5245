import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const site = import.meta.dirname;
const binaries = { vitepress: "vitepress/bin/vitepress.js", typedoc: "typedoc/bin/typedoc" };

/** Runs a tool of the site. A warning ends everything, like an error. */
export function runTool(
  tool: keyof typeof binaries,
  args: readonly string[],
  { env = {} }: { env?: Record<string, string> } = {},
): void {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [join(site, "node_modules", binaries[tool]), ...args],
    {
      cwd: site,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 2 ** 28,
    },
  );
  const output = `${stdout ?? ""}${stderr ?? ""}`;
  const warnings = warningsIn(output);
  if (status === 0 && warnings.length === 0) return;
  console.error(status === 0 ? warnings.join("\n") : (error?.message ?? output.trim()));
  console.error(
    status === 0
      ? `${tool} gave ${warnings.length} ${warnings.length === 1 ? "warning" : "warnings"}.`
      : `${tool} failed.`,
  );
  process.exit(1);
}

/** Runs VitePress as a server, until it is stopped. */
export async function serve(args: readonly string[]): Promise<void> {
  const server = spawn(process.execPath, [join(site, "node_modules", binaries.vitepress), ...args], {
    cwd: site,
    stdio: "inherit",
  });
  await once(server, "close");
}

/** Ends the process with the problems, one a line. */
export function stopFor(problems: readonly string[], what: string): void {
  if (problems.length === 0) return;
  console.error(problems.join("\n"));
  console.error(`${problems.length} ${problems.length === 1 ? "problem" : "problems"} in the ${what}.`);
  process.exit(1);
}

/** Warnings, each with the lines that belong to it: typedoc indents them. */
function warningsIn(output: string): string[] {
  const lines = output.split("\n");
  return lines.flatMap((line, index) => {
    if (!/\[warning\]|\bwarn(?:ing)?:|\(!\)|\[vue warn\]/i.test(line) || /Found \d+ errors/.test(line)) return [];
    const next = lines.slice(index + 1).findIndex((follower) => !/^\s+\S/.test(follower));
    return [lines.slice(index, next < 0 ? undefined : index + 1 + next).join("\n")];
  });
}
