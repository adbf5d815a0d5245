import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { knownAs } from "./known.js";
import { mistakeOf, problemsOf, written } from "./report.js";
import { warmUp, watchProcess } from "./run-case.js";
import { count, firstSeed, oneCase } from "./settings.js";
import { World } from "./world.js";

const mostMistakes = 5;

describe("Any program of graphs, chains and workflows in which features meet", { timeout: 3_600_000 }, () => {
  beforeAll(async () => {
    // a digest that is made in another thread would take real time
    const digest = async (_name: string, data: Uint8Array) =>
      new Uint8Array(createHash("sha256").update(data).digest()).buffer;
    Object.defineProperty(crypto.subtle, "digest", { value: digest });
    watchProcess();
    await warmUp();
  });

  it.runIf(oneCase === undefined)("does what the contract says, in every way to run it", async () => {
    const mistakes: string[] = [];
    const known = new Map<string, number>();
    let ran = 0;
    for (; ran < count && mistakes.length < mostMistakes; ran++) {
      const mistake = await mistakeOf(firstSeed + ran, (one, problems) => {
        const name = knownAs(one, problems);
        if (name !== undefined) known.set(name, (known.get(name) ?? 0) + 1);
        return name !== undefined;
      });
      if (mistake !== undefined) mistakes.push(written(mistake));
    }
    if (process.env.KUMIKO_MEETINGS_COUNT !== undefined)
      console.log(`${ran} programs, ${mistakes.length} wrong; known failures:`, Object.fromEntries(known));
    expect(mistakes.join("\n\n")).toBe("");
  });

  it.runIf(oneCase !== undefined)("does what the contract says: the given one", async () => {
    const { note } = World.prototype;
    World.prototype.note = function (kind, name, process) {
      console.log(`process ${process.number} ${kind} ${name}`);
      note.call(this, kind, name, process);
    };
    expect(await problemsOf(JSON.parse(oneCase ?? ""))).toEqual([]);
  });
});
