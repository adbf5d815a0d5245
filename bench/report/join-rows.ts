import type { Cell, Row } from "./row.js";

/**
 * One table of the rows that several processes have measured. Those who were measured in each of them, as a yardstick, are
 * told by the first process that has the row; the ratio of every other is the one to the yardstick beside it.
 */
export function joinRows(parts: readonly (readonly Row[])[]): Row[] {
  const joined = new Map<string, Row>();
  for (const row of parts.flat()) {
    const known = joined.get(row.id);
    const isNew = ({ contender }: Cell): boolean => !known?.cells.some((cell) => cell.contender === contender);
    joined.set(row.id, known === undefined ? row : { ...known, cells: [...known.cells, ...row.cells.filter(isNew)] });
  }
  return [...joined.values()];
}

/** The rows in the order of their ids; others after them. */
export function inOrder(rows: readonly Row[], ids: readonly string[]): Row[] {
  const placeOf = ({ id }: Row): number => (ids.includes(id) ? ids.indexOf(id) : ids.length);
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const pairs = { "fan-out-4000": "fan-out-50" } as const;

/** Notes where a node costs far more among many nodes than among few: that is no longer linear. */
export function withGrowth(rows: readonly Row[]): Row[] {
  return rows.map((row) => {
    const few = rows.find(({ id }) => id === Object.entries(pairs).find(([many]) => many === row.id)?.[1]);
    if (few === undefined) return row;
    const cells = row.cells.map((cell): Cell => {
      const before = few.cells.find(({ contender }) => contender === cell.contender)?.value;
      const growth = before === undefined ? 1 : cell.value / before;
      return growth < 6 ? cell : { ...cell, note: `${growth.toFixed(0)} times one of 50` };
    });
    return { ...row, cells };
  });
}
