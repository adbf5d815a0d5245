import fc from "fast-check";
import { type CheckpointStore, type CompiledGraph, type CompileOptions, KumikoError } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { numberOfRuns, patience } from "../number-of-runs.js";
import { acyclicGraphs, cyclicGraphs, digest, type GraphSpec, keyOf } from "../run/graph-spec.js";
import { type Expected, runDependencies, runSteps, type Task } from "../run/oracle.js";
import { graphOf } from "../run/spec-graph.js";
import type { Process, Stop, StopKind } from "./stoppable.js";
import { type Resumable, untilDone } from "./until-done.js";
import { WorkLog } from "./work-log.js";

type Values = Readonly<Record<string, string>>;

const input: Values = { start: "k0" };
const maxSteps = 9;

/** How a run goes: which of its tasks ask, what stops it, and how many answers come at once. */
interface Course {
  readonly salt: number;
  readonly stops: readonly Stop[];
  readonly answersAtOnce: number;
  readonly ownersGone: boolean;
}

const courses = (kinds: readonly StopKind[]): fc.Arbitrary<Course> =>
  fc.record({
    salt: fc.nat({ max: 1_000 }),
    stops:
      kinds.length === 0
        ? fc.constant([])
        : fc.array(fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat({ max: 24 }) }), { maxLength: 6 }),
    answersAtOnce: fc.integer({ min: 1, max: 3 }),
    ownersGone: fc.boolean(),
  });

const nameOf = ({ node, input: given }: Task): string => JSON.stringify([node, Object.entries(given).sort()]);

/** How often a task asks: never, once or twice, whatever its process. */
const questionsOf = (task: Task, salt: number): number => {
  const number = Number.parseInt(digest(task.node + salt, task.input), 36) % 5;
  return number < 2 ? number + 1 : 0;
};

interface Ran {
  readonly outcome: Expected["outcome"];
  readonly log: WorkLog;
  readonly wrongAnswers: readonly string[];
}

async function run(spec: GraphSpec, options: CompileOptions, course: Course, streamed = false): Promise<Ran> {
  const log = new WorkLog();
  const wrongAnswers: string[] = [];
  /** Which tasks made a value that flows. */
  const makers = new Map<string, Set<string>>();
  const compile = (process: Process, store: CheckpointStore): Resumable<Values, Values> => {
    const app = graphOf(
      spec,
      { ...options, store },
      {
        onTask: async (task, ctx) => {
          const name = nameOf(task);
          for (let n = 0; n < questionsOf(task, course.salt); n++) {
            const answer = await ctx.ask(`question ${n}`, { name, n });
            if (answer !== `${n} ${name}`) wrongAnswers.push(`${name} got ${String(answer)}`);
          }
          const earlier = Object.entries(task.input).flatMap(([key, value]) => [
            ...(makers.get(`${key}=${value}`) ?? []),
          ]);
          await log.work(process, ctx, name, streamed ? [] : earlier);
          const made = `${keyOf(task.node, spec)}=${digest(task.node, task.input)}`;
          makers.set(made, (makers.get(made) ?? new Set()).add(name));
        },
      },
    ) as CompiledGraph<Values, Values>;
    return streamed ? asStreams(app) : app;
  };
  const answer = ({ info }: { info: unknown }) => {
    const { name, n } = info as { name: string; n: number };
    return `${n} ${name}`;
  };
  const story = { compile, input, answer, ...course };
  try {
    return { outcome: { result: (await untilDone(story)).result }, log, wrongAnswers };
  } catch (error) {
    if (KumikoError.is(error) && error.code === "NO_NEXT_NODE")
      return { outcome: { code: error.code }, log, wrongAnswers };
    throw error;
  }
}

/** The same graph, read as a stream. */
const asStreams = (app: CompiledGraph<Values, Values>): Resumable<Values, Values> => ({
  invoke: (given, options) => app.stream(given, options).concat(),
  resume: (id, answers, options) => app.resumeStream(id, answers, options).concat(),
});

const namesOf = ({ tasks }: Expected): string[] => tasks.map(nameOf).sort();

/** Runs that end before their step limit: how resumed steps count is another matter. */
const ends = ({ outcome }: Expected): boolean => !("code" in outcome && outcome.code === "MAX_STEPS_EXCEEDED");

const durabilities = [["exit"], ["step"]] as const;
const stops: Readonly<Record<"exit" | "step", readonly StopKind[]>> = {
  exit: ["abort", "cut off", "request", "work fails"],
  step: ["kill", "kill", "abort", "cut off", "request", "work fails", "store fails"],
};

describe.each(durabilities)("Any anyPredecessor graph whose nodes ask (durability %s)", patience, (durability) => {
  const options: CompileOptions = { triggerMode: "anyPredecessor", maxSteps: 1_000, durability };
  const graphs = fc.oneof(acyclicGraphs, cyclicGraphs).filter((spec) => ends(runSteps(spec, input, maxSteps)));

  it("has the result of the run without questions, and works once for each task", async () => {
    const property = fc.asyncProperty(graphs, courses([]), async (spec, course) => {
      const expected = runSteps(spec, input, maxSteps);
      const ran = await run(spec, options, course);
      expect(ran.outcome).toEqual(expected.outcome);
      expect([ran.wrongAnswers, ran.log.wrongs]).toEqual([[], []]);
      expect(ran.log.runs).toEqual(namesOf(expected));
    });
    await fc.assert(property, { numRuns: numberOfRuns(35) });
  });

  it("has it also when it is stopped again and again; nothing that was finished runs again", async () => {
    const property = fc.asyncProperty(graphs, courses(stops[durability]), async (spec, course) => {
      const expected = runSteps(spec, input, maxSteps);
      const ran = await run(spec, options, course);
      expect(ran.outcome).toEqual(expected.outcome);
      expect([ran.wrongAnswers, ran.log.wrongs]).toEqual([[], []]);
      expect(ran.log.tasks).toEqual(namesOf(expected));
    });
    await fc.assert(property, { numRuns: numberOfRuns(50) });
  });

  it("works once for each task when it is only asked to stop", async () => {
    const property = fc.asyncProperty(graphs, courses(["request"]), async (spec, course) => {
      const expected = runSteps(spec, input, maxSteps);
      const ran = await run(spec, options, course);
      expect(ran.outcome).toEqual(expected.outcome);
      expect(ran.log.runs).toEqual(namesOf(expected));
    });
    await fc.assert(property, { numRuns: numberOfRuns(35) });
  });
});

describe.each(durabilities)("Any allPredecessor graph whose nodes ask (durability %s)", patience, (durability) => {
  const options: CompileOptions = { triggerMode: "allPredecessor", durability };

  it.each([["by questions alone", [] as StopKind[]] as const, ["by everything there is", stops[durability]] as const])(
    "has the result of the run that nothing stops: stopped %s",
    async (_by, kinds) => {
      const property = fc.asyncProperty(acyclicGraphs, courses(kinds), async (spec, course) => {
        const expected = runDependencies(spec, input);
        const ran = await run(spec, plain(options), course);
        expect(ran.outcome).toEqual(expected.outcome);
        expect([ran.wrongAnswers, ran.log.wrongs]).toEqual([[], []]);
        expect(namesOf(expected)).toEqual(expect.arrayContaining(ran.log.tasks));
        if (kinds.length === 0) expect(new Set(ran.log.runs).size).toBe(ran.log.runs.length);
      });
      await fc.assert(property, { numRuns: numberOfRuns(50) });
    },
  );
});

describe.each(durabilities)("Any graph whose nodes ask, as a stream (durability %s)", patience, (durability) => {
  const graphs = fc.oneof(acyclicGraphs, cyclicGraphs).filter((spec) => ends(runSteps(spec, input, maxSteps)));

  it("has the result of the run without questions, and no task works twice", async () => {
    const property = fc.asyncProperty(graphs, courses([]), async (spec, course) => {
      const expected = runSteps(spec, input, maxSteps);
      const ran = await run(spec, { maxSteps: 1_000, durability }, course, true);
      expect(ran.outcome).toEqual(expected.outcome);
      expect(ran.wrongAnswers).toEqual([]);
      expect(ran.log.runs).toEqual(ran.log.tasks);
      expect(namesOf(expected)).toEqual(expect.arrayContaining(ran.log.tasks));
    });
    await fc.assert(property, { numRuns: numberOfRuns(35) });
  });

  it("has it also when it is stopped again and again", async () => {
    const property = fc.asyncProperty(graphs, courses(stops[durability]), async (spec, course) => {
      const expected = runSteps(spec, input, maxSteps);
      const ran = await run(spec, { maxSteps: 1_000, durability }, course, true);
      expect(ran.outcome).toEqual(expected.outcome);
      expect(ran.wrongAnswers).toEqual([]);
    });
    await fc.assert(property, { numRuns: numberOfRuns(35) });
  });
});
