import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/index.js";
import { answerTo, expenseReport, plain } from "./documents/expense-report.js";
import { interruptOf } from "./interrupt-of.js";

const folder = new URL("documents/", import.meta.url);
const documents = readdirSync(folder).filter((name) => name.endsWith(".json"));

/** A document of each version that was ever released stays here, and stays readable. */
describe("Documents of released versions", () => {
  it("are there", () => expect(documents).toContain("version-1.json"));

  it.each(documents)("%s is read, and its run goes on to the end", async (name) => {
    const store = memoryStore();
    await store.put("report", readFileSync(new URL(name, folder)), undefined);
    const app = expenseReport(store);
    const { interrupts } = await interruptOf(app.resume("report", {}));
    const answers = Object.fromEntries(interrupts.map(({ id, info }) => [id, answerTo(info)]));
    expect(plain(await app.resume("report", answers))).toEqual({
      receipt: "two words 6 travel",
      rate: 106,
      sum: { total: 12, kept: { asked: 1 } },
      tools: ["42", "approved by Ada"],
      seen: 1n,
    });
  });
});
