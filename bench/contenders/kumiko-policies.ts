import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chain, type CheckpointStore, END, each, Graph, memoryCache, memoryStore, Runtime, START } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";
import type { Contender, Run, Step } from "../contender.js";

/** A node with all that can stand around it, none of which has anything to do. */
export function guarded(step: Step): Run {
  const fallback = (): number => 0;
  const app = new Chain<number>()
    .append((value: number) => step(value), { retry: true, timeoutMs: 60_000, idleTimeoutMs: 30_000, fallback })
    .compile();
  return (input) => app.invoke(input);
}

export function cached(step: Step): Run {
  const app = new Chain<number>()
    .append((value: number) => step(value), { cache: true })
    .compile({ runtime: new Runtime({ cache: memoryCache() }) });
  return (input) => app.invoke(input);
}

const sideEffect = { runs: 0 };
const nextId = (): string => `run-${++sideEffect.runs}`;

/** As `savedLoop`, with its history or without. */
export const historyLoop =
  (history: boolean) =>
  (step: Step, last: number): Run => {
    const loop = new Graph<number, number>()
      .addNode("step", step)
      .addEdge(START, "step")
      .addBranch("step", ["step", END], (value: number) => (value < last ? "step" : END))
      .compile({
        maxSteps: last + 1,
        store: memoryStore(),
        durability: "step",
        ...(history ? { history: true } : { keepCheckpoint: true }),
      });
    return (input) => loop.invoke(input, { checkpointId: "run", forceNewRun: true });
  };

/** A list whose items are saved in a SQLite file, which is gone when the process ends. */
export const sqliteItems = (durability: "exit" | "step"): NonNullable<Contender["sqliteItems"]> => {
  let store: CheckpointStore | undefined;
  return (step, list) => {
    store ??= newFile();
    const app = new Chain<number[]>().append(each((value: number) => step(value))).compile({ store, durability });
    return () => app.invoke([...list], { checkpointId: nextId() });
  };
};

function newFile(): CheckpointStore {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return sqliteStore(join(folder, "runs.db"));
}
