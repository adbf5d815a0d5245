/*
 * Counts what this package costs, and fails when that has grown by more than 10 % over budgets.json: `npm run budgets`.
 * Nothing here looks at a clock. `-- types bundles` counts some kinds only, `-- --update` records what it finds.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { aiSdk, measureBundles } from "../../scripts/bundle-sizes.mjs";
import { adviceOf, type Budgets, fails, judge, readBudgets, updated, type Verdict, writeBudgets } from "./budgets.js";
import { countInstantiations } from "./instantiations.js";
import { countParkedRuns } from "./parked.js";
import { measureTypeTexts } from "./type-texts.js";

const gates: Readonly<Record<string, () => Budgets | Promise<Budgets>>> = {
  bundles: async () => {
    const sizes = new Map((await measureBundles()).map(({ name, gzipped }) => [name, gzipped]));
    const [own = 0, theirs = 0] = [sizes.get("agent"), sizes.get(aiSdk)];
    if (own > theirs) throw new Error(`An agent is ${own} bytes, and ${aiSdk} are ${theirs}. Make the agent smaller.`);
    sizes.delete(aiSdk);
    return { gzippedBytes: Object.fromEntries(sizes) };
  },
  types: () => ({ typeInstantiations: countInstantiations(), typeTexts: measureTypeTexts() }),
  parked: () => countParkedRuns(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    update: { type: "boolean" },
    budgets: { type: "string", default: join(import.meta.dirname, "../../budgets.json") },
  },
});
const { update, budgets: path } = values;
const measured = await measure(positionals.length === 0 ? Object.keys(gates) : positionals);
const recorded = readBudgets(path);
const budgets = update ? updated(recorded, measured) : recorded;
if (update) writeBudgets(path, budgets);
report(judge(budgets, measured));

async function measure(names: readonly string[]): Promise<Budgets> {
  let all: Budgets = {};
  for (const name of names) {
    const gate = gates[name];
    if (gate === undefined) throw new Error(`There is no gate "${name}", only ${Object.keys(gates).join(", ")}.`);
    all = { ...all, ...(await gate()) };
  }
  return all;
}

function report(verdicts: readonly Verdict[]): void {
  console.log(`Node ${process.version}`);
  let kind = "";
  for (const verdict of verdicts) {
    if (verdict.kind !== kind) console.log(`\n${verdict.kind.padEnd(46)}    measured    recorded`);
    kind = verdict.kind;
    console.log(rowOf(verdict));
  }
  for (const verdict of verdicts) {
    const advice = adviceOf(verdict);
    if (advice === undefined) continue;
    if (fails(verdict)) console.error(`\n${advice}`);
    else console.log(`\n${advice}`);
  }
  if (verdicts.some(fails)) process.exitCode = 1;
}

function rowOf({ name, recorded, measured, outcome }: Verdict): string {
  const [is, was] = [measured, recorded].map((figure) => (figure?.toLocaleString("en-US") ?? "–").padStart(12));
  return `  ${name.padEnd(44)}${is}${was}${outcome === "kept" ? "" : `  ${outcome}`}`;
}
