import { readFileSync, writeFileSync } from "node:fs";

/** Figures of one kind, by what was measured. */
export type Figures = Readonly<Record<string, number>>;
/** All figures, by kind: what budgets.json holds. */
export type Budgets = Readonly<Record<string, Figures>>;

/** A figure may be so much away from the recorded one. Heap figures of other versions of Node.js differ by up to 5 %. */
const TOLERANCE = 0.1;
/** `--update` lowers a figure by no less than this, so that a change shows only what it changed. */
const WORTH_RECORDING = 0.01;

export interface Verdict {
  readonly kind: string;
  readonly name: string;
  readonly recorded: number | undefined;
  readonly measured: number | undefined;
  /**
   * `over` its budget, `not recorded` yet, recorded but `not measured` any more: these fail. `under` asks for a lower
   * figure.
   */
  readonly outcome: "kept" | "under" | "over" | "not recorded" | "not measured";
}

export function readBudgets(path: string): Budgets {
  return JSON.parse(readFileSync(path, "utf8"));
}

export function writeBudgets(path: string, budgets: Budgets): void {
  writeFileSync(path, `${JSON.stringify(budgets, undefined, 2)}\n`);
}

/** What was measured, beside what is recorded for the same kinds. */
export function judge(recorded: Budgets, measured: Budgets): Verdict[] {
  return Object.entries(measured).flatMap(([kind, figures]) => {
    const budget = recorded[kind] ?? {};
    const names = new Set([...Object.keys(figures), ...Object.keys(budget)]);
    return [...names].map((name) => judgeOne(kind, name, budget[name], figures[name]));
  });
}

function judgeOne(kind: string, name: string, recorded: number | undefined, measured: number | undefined): Verdict {
  const outcome = (): Verdict["outcome"] => {
    if (recorded === undefined) return "not recorded";
    if (measured === undefined) return "not measured";
    // Not `>`: what is not a number must not pass.
    if (!(measured <= recorded * (1 + TOLERANCE))) return "over";
    return measured < recorded * (1 - TOLERANCE) ? "under" : "kept";
  };
  return { kind, name, recorded, measured, outcome: outcome() };
}

/** Whether CI fails. */
export const fails = ({ outcome }: Verdict): boolean => outcome !== "kept" && outcome !== "under";

/** What to do about it, when there is something to do. */
export function adviceOf({ kind, name, recorded = 0, measured = 0, outcome }: Verdict): string | undefined {
  const figure = `${kind} of "${name}"`;
  const [was, is] = [recorded.toLocaleString("en-US"), measured.toLocaleString("en-US")];
  const percent = ((measured / recorded - 1) * 100).toFixed(0);
  switch (outcome) {
    case "kept":
      return undefined;
    case "under":
      return `${figure} has got better: ${is}, recorded ${was} (${percent} %). Keep it so: \`npm run budgets -- --update\`.`;
    case "over":
      return `${figure} is over its budget: ${is}, recorded ${was} (+${percent} %). Find what the change added, and make it cheaper. If it is worth its price, record it with \`npm run budgets -- --update\`, and say why in the same change.`;
    case "not recorded":
      return `${figure} is ${is}, and budgets.json has no figure for it. Record it with \`npm run budgets -- --update\`.`;
    case "not measured":
      return `${figure} is in budgets.json (${was}), but nothing measures it any more. Take it away with \`npm run budgets -- --update\`.`;
    default:
      return outcome satisfies never;
  }
}

/**
 * The recorded figures with the measured kinds brought up to date. A figure that has grown, but is within its budget, stays:
 * budgets do not creep upwards with those that change for other reasons.
 */
export function updated(recorded: Budgets, measured: Budgets): Budgets {
  const kinds = Object.entries(measured).map(([kind, figures]) => {
    const entries = Object.entries(figures).map(([name, figure]) => {
      const old = recorded[kind]?.[name];
      const stays = old !== undefined && figure >= old * (1 - WORTH_RECORDING) && figure <= old * (1 + TOLERANCE);
      return [name, stays ? old : figure] as const;
    });
    return [kind, Object.fromEntries(entries)] as const;
  });
  return { ...recorded, ...Object.fromEntries(kinds) };
}
