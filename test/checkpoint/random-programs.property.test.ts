import fc from "fast-check";
import type { CheckpointStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { numberOfRuns, patience } from "../number-of-runs.js";
import { expectedOf, type Program, ProgramGraph, programs } from "./random-program.js";
import type { Process, Stop, StopKind } from "./stoppable.js";
import { type Resumable, untilDone } from "./until-done.js";
import { WorkLog } from "./work-log.js";

/** How a run goes: what stops it, how many answers come at once, and which processes read it as a stream. */
interface Course {
  readonly stops: readonly Stop[];
  readonly answersAtOnce: number;
  readonly ownersGone: boolean;
  readonly streamed: readonly boolean[];
}

const courses = (kinds: readonly StopKind[], streamed: fc.Arbitrary<boolean>): fc.Arbitrary<Course> =>
  fc.record({
    stops:
      kinds.length === 0
        ? fc.constant([])
        : fc.array(fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat({ max: 24 }) }), { maxLength: 6 }),
    answersAtOnce: fc.integer({ min: 1, max: 3 }),
    ownersGone: fc.boolean(),
    streamed: fc.array(streamed, { minLength: 1, maxLength: 4 }),
  });

const ending: fc.Arbitrary<Program> = programs.filter((program) => {
  try {
    expectedOf(program, "in");
    return true;
  } catch {
    return false;
  }
});

async function run(program: Program, durability: "exit" | "step", course: Course) {
  const log = new WorkLog();
  const graphs: ProgramGraph[] = [];
  const compile = (process: Process, store: CheckpointStore): Resumable<string, string> => {
    const graph = new ProgramGraph(log, process);
    const streams = course.streamed[graphs.length % course.streamed.length];
    graphs.push(graph);
    const app = graph.compile(program, { store, durability, maxSteps: 1_000 });
    if (!streams) return app;
    return {
      invoke: (given, options) => app.stream(given, options).concat(),
      resume: (id, answers, options) => app.resumeStream(id, answers, options).concat(),
    };
  };
  const told = await untilDone({ compile, input: "in", ...course });
  return {
    ...told,
    log,
    wrongAnswers: graphs.flatMap(({ wrongAnswers }) => wrongAnswers),
    befores: graphs.flatMap(({ befores }) => befores).sort(),
  };
}

const durabilities = [["exit"], ["step"]] as const;
const modes = [
  ["values", fc.constant(false)],
  ["streams", fc.constant(true)],
  ["values and streams in turn", fc.boolean()],
] as const;
const stops: Readonly<Record<"exit" | "step", readonly StopKind[]>> = {
  exit: ["abort", "cut off", "request", "work fails"],
  step: ["kill", "kill", "abort", "cut off", "request", "work fails", "store fails"],
};

describe.each(durabilities)(
  "Any run of graphs, loops, tools and runs in each other (durability %s)",
  patience,
  (durability) => {
    it.each(modes)("gives what it gives without questions, and does no work twice: %s", async (_mode, streamed) => {
      const property = fc.asyncProperty(ending, courses([], streamed), async (program, course) => {
        const expected = expectedOf(program, "in");
        const ran = await run(program, durability, course);
        expect([ran.result, ran.wrongAnswers, ran.log.wrongs, ran.left]).toEqual([expected.result, [], [], []]);
        expect(ran.log.runs).toEqual(expected.works);
        expect(ran.befores).toEqual(expected.befores);
      });
      await fc.assert(property, { numRuns: numberOfRuns(20) });
    });

    it.each(modes)("gives it also when it is asked to stop; no work is done twice: %s", async (_mode, streamed) => {
      const property = fc.asyncProperty(ending, courses(["request"], streamed), async (program, course) => {
        const expected = expectedOf(program, "in");
        const ran = await run(program, durability, course);
        expect([ran.result, ran.wrongAnswers, ran.log.wrongs, ran.left]).toEqual([expected.result, [], [], []]);
        expect(ran.log.runs).toEqual(expected.works);
      });
      await fc.assert(property, { numRuns: numberOfRuns(20) });
    });

    it.each(modes)("gives it also when it is stopped again and again: %s", async (_mode, streamed) => {
      const property = fc.asyncProperty(ending, courses(stops[durability], streamed), async (program, course) => {
        const expected = expectedOf(program, "in");
        const ran = await run(program, durability, course);
        expect([ran.result, ran.wrongAnswers, ran.log.wrongs]).toEqual([expected.result, [], []]);
        expect(ran.log.tasks).toEqual(expected.works);
      });
      await fc.assert(property, { numRuns: numberOfRuns(35) });
    });
  },
);
