import { readFileSync, writeFileSync } from "node:fs";
import type { CrowdFigures } from "../measure/crowd.js";
import { loadText } from "../measure/machine.js";
import type { Cell, Row } from "./row.js";

export interface Crowd {
  readonly name: string;
  readonly figures: CrowdFigures;
}

/** All that has been measured on one machine; each part when there was time for it. */
interface Measured {
  readonly machine: string;
  readonly dates: readonly string[];
  readonly loads: readonly number[];
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly crowds: readonly Crowd[];
  readonly packages: readonly Row[];
}

export interface Store {
  /** Keeps the rows of one peer, in place of older ones. */
  add(peer: string, rows: readonly Row[], crowds: readonly Crowd[]): void;
  addPackages(rows: readonly Row[]): void;
  packages(): readonly Row[];
  read(peers: readonly string[]): {
    readonly rows: readonly (readonly Row[])[];
    readonly crowds: ReadonlyMap<string, CrowdFigures>;
    /** When and where it was measured. */
    readonly text: string;
    readonly missing: readonly string[];
  };
}

/** The file is read anew each time: somebody may be measuring another peer. */
export function openStore(path: string, machine: string): Store {
  const current = (): Measured => readMeasured(path, machine);
  const keep = (measured: Measured, changes: Partial<Measured>): void => {
    const [date, load] = [new Date().toISOString().slice(0, 10), Number(loadText())];
    const dates = [...new Set([...measured.dates, date])];
    writeFileSync(path, JSON.stringify({ ...measured, dates, loads: [...measured.loads, load], ...changes }));
  };
  return {
    add: (peer, rows, crowds) => {
      const measured = current();
      const others = (measured.rows[peer] ?? []).filter(({ id }) => !rows.some((row) => row.id === id));
      const known = measured.crowds.filter(({ name }) => !crowds.some((crowd) => crowd.name === name));
      keep(measured, { rows: { ...measured.rows, [peer]: [...others, ...rows] }, crowds: [...known, ...crowds] });
    },
    addPackages: (rows) => {
      if (rows.length === 0) return;
      const measured = current();
      const others = measured.packages.filter(({ id }) => !rows.some((row) => row.id === id));
      const known = (id: string) => measured.packages.find((row) => row.id === id)?.cells ?? [];
      const merged = rows.map((row) => ({ ...row, cells: mergeCells(known(row.id), row.cells) }));
      keep(measured, { packages: [...others, ...merged] });
    },
    packages: () => current().packages,
    read: (peers) => {
      const measured = current();
      return {
        rows: peers.map((peer) => measured.rows[peer] ?? []),
        crowds: figuresInOrder(measured.crowds, ["by hand", "kumiko", ...peers]),
        text: `${measured.dates.join(", ")}. ${machine}, load ${Math.min(...measured.loads)} to ${Math.max(...measured.loads)}.`,
        missing: [
          ...peers.filter((peer) => (measured.rows[peer] ?? []).length === 0),
          ...(measured.packages.length === 0 ? ["package", "types"] : []),
        ],
      };
    },
  };
}

function figuresInOrder(crowds: readonly Crowd[], names: readonly string[]): Map<string, CrowdFigures> {
  const found = names.flatMap((name) => crowds.find((crowd) => crowd.name === name) ?? []);
  return new Map(found.map(({ name, figures }) => [name, figures]));
}

const mergeCells = (known: readonly Cell[], measured: readonly Cell[]): Cell[] => [
  ...known.filter(({ contender }) => !measured.some((cell) => cell.contender === contender)),
  ...measured,
];

function readMeasured(path: string, machine: string): Measured {
  const none: Measured = { machine, dates: [], loads: [], rows: {}, crowds: [], packages: [] };
  try {
    const found: Measured = JSON.parse(readFileSync(path, "utf8"));
    return found.machine === machine ? found : none;
  } catch {
    return none;
  }
}
