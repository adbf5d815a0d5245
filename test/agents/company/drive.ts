import type { CheckpointStore } from "kumiko";
import { expect } from "vitest";
import type { ExpectedTurn, Feature } from "./feature.js";
import type { Step, Stop } from "./steps.js";

/** Takes the turns of a feature from pause to pause, and expects what has to become of them. */
export async function expectTurns(
  feature: Feature,
  given: Pick<Step, "feature" | "how">,
  steps: (step: Step) => Promise<Stop>,
): Promise<void> {
  const turns: ExpectedTurn[] = [];
  for (const [index, { prompt, thread }] of feature.turns.entries()) {
    const turn = { ...given, thread: thread ?? "t", requestId: `r${index}` };
    const pauses: string[][] = [];
    let stop = await steps({ ...turn, prompt });
    while (stop.end === undefined) {
      pauses.push(stop.asked.map(({ toolName }) => toolName));
      const answers = stop.asked.map(({ id, toolName, input }) => [id, feature.answer(toolName, input)]);
      stop = await steps({ ...turn, answers: Object.fromEntries(answers) });
    }
    turns.push({ prompt, ...(thread !== undefined && { thread }), pauses, end: stop.end });
  }
  expect(turns).toEqual(feature.turns);
}

/** Expects what was noted, and that no row of the store has what must not be stored. */
export async function expectTraces(feature: Feature, notes: readonly string[], store: CheckpointStore): Promise<void> {
  expect(notes.toSorted()).toEqual(feature.notes);
  const { neverStored } = feature;
  if (neverStored === undefined) return;
  for await (const key of store.list("~")) {
    const row = await store.get(key);
    expect(`${key} ${new TextDecoder().decode(row?.data)}`).not.toContain(neverStored);
  }
}
