import type { EntryDoc } from "./reference/reference.js";

/** A row of the table of SKILL.md: what people would write, and what it is here. */
export interface SkillRow {
  readonly left: string;
  readonly right: string;
}

/** The rows of the table whose head begins with "you would write". */
export function readSkillRows(text: string): SkillRow[] {
  const [, table = ""] = /^\| you would write \|.*\n\|[ -|]+\n((?:\|.*\n)+)/m.exec(text) ?? [];
  return table
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, left = "", right = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { left, right };
    });
}

/**
 * Names on the right that the package does not have, and names on the left that it has, unless the row mentions them on the right
 * too.
 */
export function findSkillProblems(rows: readonly SkillRow[], reference: readonly EntryDoc[]): string[] {
  const names = reference.flatMap((entry) => entry.names);
  const exported = new Set(names.map(({ name }) => name));
  const known = new Set([
    ...exported,
    ...reference.map(({ specifier }) => specifier),
    ...names.flatMap(({ fields, members }) => [...fields.map(({ name }) => name), ...members]),
  ]);
  return rows.flatMap(({ left, right }) => [
    ...namesIn(right)
      .filter((name) => !known.has(name))
      .map((name) => `"${name}" on the right of "${left}" is no name of the package`),
    ...namesIn(left)
      .filter((name) => exported.has(name) && !namesIn(right).includes(name))
      .map((name) => `"${name}" on the left is a name of the package: the row must say how it differs`),
  ]);
}

/** The names that code spans begin with; an `await`, a `new` and the object of a method are left out. */
function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => {
    const text = code.replace(/^(?:await|new) /, "").replace(/^ctx\./, "");
    const [name] = /^(?:kumiko\/[\w/]+|[A-Za-z_$][\w$]*)/.exec(text) ?? [];
    return name === undefined ? [] : [name];
  });
}
