import { afterEach, beforeEach, type RunnerTestCase } from "vitest";
import { Graph } from "../../src/compose/graph.js";
import { END, START } from "../../src/compose/plan/plan.js";
import { memoryStore } from "./executor.js";
import { findException } from "./find-exception.js";
import { forgetReferences } from "./references.js";
import { installSwitch } from "./switch.js";
import { givenCombination, sampled } from "./ways.js";

declare module "vitest" {
  interface TaskMeta {
    /** In which way and mode the test ran, and why it did not where it did not. */
    combination?: string;
    exception?: string;
    isDefect?: boolean;
  }
}

const given = givenCombination(process.env);
const checksExceptions = process.env.KUMIKO_EXCEPTIONS === "check";
const ignoresExceptions = process.env.KUMIKO_EXCEPTIONS === "ignore";

// what is loaded at the first run of its kind is there from now on: a run that loads it starts later than others
await new Graph<string, string>()
  .addNode("same", (text: string) => text)
  .addEdge(START, "same")
  .addEdge("same", END)
  .compile({ store: memoryStore() })
  .invoke("", { checkpointId: "loads" });

const turnTo = installSwitch();

beforeEach(({ task, skip }) => {
  const file = task.file.name;
  const name = nameOf(task);
  const combination = given ?? sampled(file, name);
  const exception = ignoresExceptions ? undefined : findException(file, name, combination);
  task.meta.combination = `${combination.way} ${combination.mode}`;
  if (exception !== undefined) Object.assign(task.meta, { exception: exception.why, isDefect: exception.isDefect });
  if (!checksExceptions) {
    turnTo(exception === undefined ? combination : undefined);
    return;
  }
  if (exception === undefined || exception.sometimes === true) skip();
  Object.assign(task, { fails: true });
  turnTo(combination);
});

afterEach(() => {
  turnTo(undefined);
  forgetReferences();
});

function nameOf({ name, suite }: RunnerTestCase): string {
  const names = [name];
  for (let outer = suite; outer !== undefined && outer.name !== ""; outer = outer.suite) names.unshift(outer.name);
  return names.join(" > ");
}
