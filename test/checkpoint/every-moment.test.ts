import { describe, expect, it } from "vitest";
import type { StopKind } from "./stoppable.js";
import { compileOptions, type Example, examples } from "./stories.js";
import { type Told, untilDone } from "./until-done.js";
import { WorkLog } from "./work-log.js";

type Durability = "exit" | "step";

interface Tried {
  readonly log: WorkLog;
  readonly told: Told<string>;
}

/** Stops the first process at each of its moments in turn, until one gets to its end before. */
async function atEachMoment(
  example: Example,
  durability: Durability,
  kind: StopKind,
  check: (tried: Tried, at: number) => void,
): Promise<void> {
  for (let at = 0; at < 200; at++) {
    const log = new WorkLog();
    const told = await untilDone<string, string>({
      compile: (process, store) => example.compile(log, process, compileOptions(store, durability)),
      input: "in",
      stops: [{ kind, at }],
      ownersGone: at % 2 === 0,
    });
    check({ log, told }, at);
    if (!told.allStopped) return;
  }
  throw new Error("It has no end.");
}

const cases = (durability: Durability, kinds: readonly StopKind[]) =>
  kinds.flatMap((kind) => examples.map((example) => [example.name, kind, durability, example] as const));

describe("Whatever stops a run, and whenever", { timeout: 30_000 }, () => {
  it.each(examples.map((example) => [example.name, example] as const))("(not at all: %s)", async (_name, example) => {
    for (const durability of ["exit", "step"] as const) {
      const log = new WorkLog();
      const told = await untilDone<string, string>({
        compile: (process, store) => example.compile(log, process, compileOptions(store, durability)),
        input: "in",
      });
      expect([told.result, told.left, log.wrongs]).toEqual([example.result, [], []]);
      expect(log.runs).toEqual(example.tasks);
    }
  });

  it.each([
    ...cases("step", ["kill", "abort", "cut off", "work fails", "store fails"]),
    ...cases("exit", ["abort", "cut off", "work fails"]),
  ])(
    "%s goes on to the same end, and what was finished never runs again (%s, %s)",
    async (_name, kind, durability, example) => {
      await atEachMoment(example, durability, kind, ({ log, told }, at) => {
        expect({ at, result: told.result, wrongs: log.wrongs }).toEqual({ at, result: example.result, wrongs: [] });
        // a store that fails to remove a checkpoint leaves it there
        if (kind !== "store fails") expect({ at, left: told.left }).toEqual({ at, left: [] });
        expect({ at, tasks: log.tasks }).toEqual({ at, tasks: example.tasks });
        for (const task of example.tasks) {
          expect({ at, task, often: log.runs.filter((name) => name === task).length <= 2 }).toEqual({
            at,
            task,
            often: true,
          });
        }
      });
    },
  );

  it.each([...cases("step", ["request"]), ...cases("exit", ["request"])])(
    "%s that is asked to stop finishes what it has begun, and nothing runs twice (%s, %s)",
    async (_name, kind, durability, example) => {
      await atEachMoment(example, durability, kind, ({ log, told }, at) => {
        expect({ at, result: told.result, left: told.left, wrongs: log.wrongs }).toEqual({
          at,
          result: example.result,
          left: [],
          wrongs: [],
        });
        expect({ at, runs: log.runs }).toEqual({ at, runs: example.tasks });
      });
    },
  );

  it.each(examples.map((example) => [example.name, example] as const))(
    "%s gets to its end when every process is killed a little later than the one before",
    async (_name, example) => {
      const log = new WorkLog();
      const stops = Array.from({ length: 60 }, (_, at) => ({ kind: "kill" as const, at }));
      const told = await untilDone<string, string>({
        compile: (process, store) => example.compile(log, process, compileOptions(store, "step")),
        input: "in",
        stops,
      });
      expect([told.result, told.left, log.wrongs, log.tasks]).toEqual([example.result, [], [], example.tasks]);
    },
  );
});
