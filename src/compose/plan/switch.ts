import { invalidSwitch, unknownCase } from "../errors.js";
import { checkFieldKey } from "./key.js";

/** Returns the name of the case of a value, which is the value of its field. */
export type ReadCase = (value: unknown) => string;

/** Checks the field and the cases of a switch. `owner` is its source, for error messages. */
export function caseReader(owner: string, field: unknown, cases: readonly string[]): ReadCase {
  checkFieldKey(`The field of the switch from "${owner}",`, field);
  if (cases.length === 0) throw invalidSwitch(owner, "has no cases: name a target for each value of the field.");
  const known = new Set(cases);
  return (value) => {
    const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
    const name = typeof found === "boolean" ? String(found) : found;
    if (typeof name !== "string" || !known.has(name)) throw unknownCase(owner, field, found, cases);
    return name;
  };
}

/** The distinct targets of a switch, and labels with the cases that lead there. */
export function targetsOfCases(cases: ReadonlyMap<string, unknown>): {
  readonly targets: unknown[];
  readonly labels: string[];
} {
  const byTarget = new Map<unknown, string[]>();
  for (const [name, target] of cases) byTarget.set(target, [...(byTarget.get(target) ?? []), name]);
  return { targets: [...byTarget.keys()], labels: [...byTarget.values()].map((names) => names.join(", ")) };
}
