import fc from "fast-check";
import { KumikoError, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { numberOfRuns, patience } from "../number-of-runs.js";
import { Process } from "./stoppable.js";
import { compileOptions, type Example, examples } from "./stories.js";
import { WorkLog } from "./work-log.js";

const waitTurns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** A process of which every moment takes a time of its own. */
class SlowProcess extends Process {
  readonly #pauses: readonly number[];
  #next = 0;

  constructor(pauses: readonly number[]) {
    super(undefined);
    this.#pauses = pauses;
  }

  override async moment(of: "work" | "store" = "work"): Promise<void> {
    await waitTurns(this.#pauses[this.#next++ % this.#pauses.length] ?? 0);
    return super.moment(of);
  }
}

/** When a process takes the run over from whoever has it, in turns after the first, and how slow it is. */
interface Rival {
  readonly at: number;
  readonly pauses: readonly number[];
}

const pauses = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 5 });
const rivals: fc.Arbitrary<Rival[]> = fc.array(fc.record({ at: fc.nat({ max: 40 }), pauses }), {
  minLength: 1,
  maxLength: 4,
});

/** Lets all of them run the same run at once. */
async function compete({ compile }: Example, first: readonly number[], others: readonly Rival[]) {
  const [rows, log] = [memoryStore(), new WorkLog()];
  const open = (process: Process) => compile(log, process, compileOptions(process.store(rows), "step"));
  const outcomes = await Promise.all([
    settle(open(new SlowProcess(first)).invoke("in", { checkpointId: "run" })),
    ...others.map(async ({ at, pauses: slow }) => {
      await waitTurns(at);
      return settle(open(new SlowProcess(slow)).resume("run", undefined, { takeover: true }));
    }),
  ]);
  const left: string[] = [];
  for await (const id of rows.list("")) left.push(id);
  return { outcomes, left, log };
}

/** The result, or the code of the error. */
async function settle(run: Promise<string>): Promise<string> {
  try {
    return await run;
  } catch (error) {
    if (KumikoError.is(error)) return error.code;
    throw error;
  }
}

const lost = ["CHECKPOINT_LOST", "CHECKPOINT_IN_USE", "UNKNOWN_CHECKPOINT"];

describe("Processes that take a run away from each other", patience, () => {
  const silent = examples.filter(({ name }) => !/ask/.test(name));

  it.each(silent.map((example) => [example.name, example] as const))(
    "end it once, whoever comes when: %s",
    async (_name, example) => {
      const property = fc.asyncProperty(pauses, rivals, async (first, others) => {
        const { outcomes, left, log } = await compete(example, first, others);
        expect(outcomes.filter((outcome) => outcome === example.result)).toEqual([example.result]);
        expect([...lost, example.result]).toEqual(expect.arrayContaining(outcomes));
        expect(left).toEqual([]);
        expect(log.tasks).toEqual(example.tasks);
        expect(log.wrongs.filter((wrong) => wrong.includes("in one process"))).toEqual([]);
      });
      await fc.assert(property, { numRuns: numberOfRuns(20) });
    },
  );
});
