// What each feature asks of models, recorded, and answered again without any: KUMIKO_TAPE=record writes the tapes anew.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { memoryStore, type Tool } from "kumiko";
import { cassette, type TapeMode } from "kumiko/evals";
import { expect, it } from "vitest";
import { untouchable } from "../../evals/temporary-folder.js";
import { expectTurns } from "./drive.js";
import { embedder, type Kit, kitOf } from "./feature.js";
import { features } from "./features.js";
import { takeStep } from "./steps.js";

const mode = (process.env.KUMIKO_TAPE ?? "replay") as TapeMode;

it.each(Object.entries(features))("turns with %s are on a tape", async (name, feature) => {
  const folder = join(import.meta.dirname, "tapes", name);
  if (mode === "record") rmSync(folder, { recursive: true, force: true });
  const tape = cassette(folder, { mode });
  const store = memoryStore();
  const notes: string[] = [];
  const live = kitOf(store, (line) => notes.push(line));
  const kit: Kit = {
    ...live,
    model: (of, script) => tape.model(mode === "replay" ? untouchable("") : live.model(of, script)),
    tool: (id, options) => tape.tools([live.tool(id, options)])[0] as Tool,
    memory: { ...live.memory, embedder: tape.embedder(embedder) },
  };
  await feature.prepare?.(store);
  await expectTurns(feature, { feature: name, how: "generate" }, (step) => takeStep(step, kit));
  expect([tape.stats.recorded > 0, tape.stats.replayed > 0]).toEqual([mode !== "replay", mode === "replay"]);
  // no model is asked, and no tool does its work
  const asked = notes.filter((line) => !line.startsWith("judged "));
  if (mode === "replay") expect(asked).toEqual([]);
});
