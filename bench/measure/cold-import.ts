import { spawnSync } from "node:child_process";
import { median } from "./rounds.js";

export interface Entry {
  /** What is imported. */
  readonly entry: string;
  /** Where it is installed. */
  readonly folder: string;
}

/** CPU milliseconds that a process needs to import each entry, above one that imports nothing. Rounds are interleaved. */
export function measureImports(entries: readonly Entry[], { node = process.execPath, rounds = 15 } = {}): number[] {
  const bare: number[] = [];
  const samples = entries.map((): number[] => []);
  // One round more, which is thrown away: it brings the files into the memory of the machine.
  for (let round = -1; round < rounds; round++) {
    const own = entries.map(({ entry, folder }) => cpuMsOf(`await import(${JSON.stringify(entry)});`, folder, node));
    const none = cpuMsOf("", process.cwd(), node);
    if (round < 0) continue;
    bare.push(none);
    for (const [index, ms] of own.entries()) samples[index]?.push(ms);
  }
  return samples.map((own) => median(own.map((ms, round) => ms - (bare[round] ?? 0))));
}

function cpuMsOf(program: string, folder: string, node: string): number {
  const script = `${program} const { user, system } = process.cpuUsage(); console.log("cpu " + (user + system)); process.exit(0);`;
  const { stdout, stderr } = spawnSync(node, ["--input-type=module", "--eval", script], {
    cwd: folder,
    encoding: "utf8",
  });
  const found = /cpu (\d+)/.exec(stdout);
  if (found === null) throw new Error(`${program} cannot be run:\n${stderr.slice(0, 1_000)}`);
  return Number(found[1]) / 1e3;
}
