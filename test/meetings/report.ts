import { Dice } from "./dice.js";
import { normal } from "./normal.js";
import { randomCase } from "./random.js";
import { runCase } from "./run-case.js";
import { shrunk } from "./shrink.js";
import type { Case } from "./spec.js";

/** A case that went wrong, made small. */
export interface Mistake {
  readonly seed: number;
  readonly small: Case;
  readonly problems: readonly string[];
}

/** What is wrong in short, without names: a smaller case must be wrong in the same way. */
export function kindOf(problems: readonly string[]): string {
  return (problems[0] ?? "")
    .replace(/[a-z0-9~/]*@\w+/g, "…")
    .replace(/\{.*\}/g, "{…}")
    .replace(/"[^"]*"/g, "“…”")
    .replace(/runnable:\S+/g, "…")
    .replace(/\b[a-d]\d+r?(\/[a-z0-9]+)*\b/g, "…")
    .replace(/\d+/g, "n");
}

/** Runs the case of a seed, and makes it small if it is wrong. */
export async function mistakeOf(
  seed: number,
  isKnown: (one: Case, problems: readonly string[]) => boolean,
): Promise<Mistake | undefined> {
  const one = randomCase(new Dice(seed));
  const problems = await problemsOf(one);
  if (problems.length === 0 || isKnown(normal(one), problems)) return undefined;
  const kind = kindOf(problems);
  const small = await shrunk(one, async (candidate) => kindOf(await problemsOf(candidate)) === kind);
  return { seed, small: normal(small), problems: await problemsOf(small) };
}

/** What is wrong; what the test itself cannot do counts too. */
export async function problemsOf(one: Case): Promise<readonly string[]> {
  try {
    return await runCase(one);
  } catch (error) {
    return [`breaks the test: ${error instanceof Error ? error.message : String(error)}`];
  }
}

export function written({ seed, small, problems }: Mistake): string {
  return [
    `Program ${seed}, made small, is wrong:`,
    ...problems.slice(0, 5).map((problem) => `  ${problem}`),
    `Run it again: npm run laws -- meetings --seed ${seed} --count 1`,
    "Or the small one alone, with all that happens:",
    `  npm run laws -- meetings --case '${JSON.stringify(small)}'`,
  ].join("\n");
}
