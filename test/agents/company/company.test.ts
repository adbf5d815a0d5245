import { memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { expectTraces, expectTurns } from "./drive.js";
import { kitOf } from "./feature.js";
import { features } from "./features.js";
import { hows, takeStep } from "./steps.js";

/** Each step is taken by an agent of its own. `processes/` does the same with processes. */
describe.each(Object.entries(features))("turns with %s", (name, feature) => {
  it.each(hows)("come to the same however they go on: %s", async (how) => {
    const store = memoryStore();
    const notes: string[] = [];
    const kit = kitOf(store, (line) => notes.push(line));
    await feature.prepare?.(store);
    await expectTurns(feature, { feature: name, how }, (step) => takeStep(step, kit));
    await expectTraces(feature, notes, store);
    expect(notes).not.toEqual([]);
  });
});
