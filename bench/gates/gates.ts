import { parseArgs } from "node:util";
import { adviceOf, type Budgets, fails, judge, readBudgets, updated, type Verdict, writeBudgets } from "./budgets.js";

/** What is measured, by the names under which it can be asked for. */
export type Gates = Readonly<Record<string, () => Budgets | Promise<Budgets>>>;

/** Measures what the arguments name, or everything, and prints it beside what is recorded; returns the exit code. */
export async function runGates(gates: Gates, args: readonly string[], recordedAt: string): Promise<0 | 1> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { update: { type: "boolean" }, budgets: { type: "string", default: recordedAt } },
  });
  const { update, budgets: path } = values;
  const measured = await measure(gates, positionals.length === 0 ? Object.keys(gates) : positionals);
  const recorded = readBudgets(path);
  const budgets = update ? updated(recorded, measured) : recorded;
  if (update) writeBudgets(path, budgets);
  const verdicts = judge(budgets, measured);
  report(verdicts);
  return verdicts.some(fails) ? 1 : 0;
}

async function measure(gates: Gates, names: readonly string[]): Promise<Budgets> {
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
}

function rowOf({ name, recorded, measured, outcome }: Verdict): string {
  const [is, was] = [measured, recorded].map((figure) => (figure?.toLocaleString("en-US") ?? "–").padStart(12));
  return `  ${name.padEnd(44)}${is}${was}${outcome === "kept" ? "" : `  ${outcome}`}`;
}
