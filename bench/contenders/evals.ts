import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgenticMessage, assistantMessage, Chain, textOf, userMessage } from "kumiko";
import { cassette, evaluate } from "kumiko/evals";
import { later } from "../contender.js";

const questions = (count: number): readonly AgenticMessage[][] =>
  Array.from({ length: count }, (_, index) => [userMessage(`Question ${index}: what does it cost?`)]);

/** A folder that is removed when the process ends. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "bench-evals-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "tape");
}

/** Asks one of so many recorded questions, another one each time. */
export function replayed(count: number): () => Promise<string> {
  return later(async () => {
    const folder = newFolder();
    const model = { component: "model" as const, type: "bench", generate: async () => assistantMessage("5 euros") };
    const over = (mode: "auto" | "replay") =>
      new Chain<readonly AgenticMessage[]>().appendModel(cassette(folder, { mode }).model(model)).compile();
    const asked = questions(count);
    const recording = over("auto");
    for (const messages of asked) await recording.invoke(messages);
    const app = over("replay");
    let next = 0;
    return async () => textOf(await app.invoke(asked[next++ % count] ?? []));
  });
}

export function replayedByHand(count: number): () => Promise<string> {
  const folder = newFolder();
  mkdirSync(folder);
  const asked = questions(count);
  const fileOf = (messages: readonly AgenticMessage[]): string =>
    join(folder, `${createHash("sha256").update(JSON.stringify(messages)).digest("hex")}.json`);
  for (const messages of asked) writeFileSync(fileOf(messages), JSON.stringify(assistantMessage("5 euros")));
  let next = 0;
  return async () => textOf(JSON.parse(readFileSync(fileOf(asked[next++ % count] ?? []), "utf8")));
}

const cases = (count: number) => Array.from({ length: count }, () => ({ input: "" }));

/** So many cases that do nothing, and the share that passed. */
export function evaluated(count: number): () => Promise<number> {
  const app = evaluate({ run: async () => 1, scorers: { one: ({ output }) => output === 1 } });
  const list = cases(count);
  return async () => (await app.invoke(list)).scores.one?.rate ?? 0;
}

export function evaluatedByHand(count: number): () => Promise<number> {
  const list = cases(count);
  const run = async (): Promise<number> => 1;
  return async () => {
    let passed = 0;
    for (const _one of list) if ((await run()) === 1) passed += 1;
    return passed / list.length;
  };
}
