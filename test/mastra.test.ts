// Tools of the real Mastra, whose newest version needs a newer Node.js than this package: test/mastra is a project of its
// own, which brings one. Its tests are run once, and reported here one by one.
import { describe, expect, it } from "vitest";
import { runProject } from "./mastra/run-project.js";

const name = "tools of the real Mastra";
const project = await runProject();

if ("missing" in project) {
  describe.skip(`${name} (skipped: ${project.missing})`, () => it("cannot be had here", () => undefined));
} else {
  describe(name, () => {
    for (const outcome of project.outcomes) it(outcome.name, () => expect(outcome.failure).toBeUndefined());
  });
}
