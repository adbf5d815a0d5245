import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findProblem, runExample } from "../scripts/examples.js";
import { usePrograms } from "./programs.js";

const root = join(import.meta.dirname, "..");
const folder = join(root, "examples");
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".ts")) : [];
const programOf = usePrograms(...names.map((name) => join(folder, name)));
const problems = new Map<string, string | undefined>();

beforeAll(async () => {
  const waiting = [...names];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const path = join(folder, name);
      problems.set(name, findProblem(await runExample(root, programOf(path), 60_000), readFileSync(path, "utf8")));
    }
  };
  await Promise.all([work(), work()]);
}, 600_000);

it("finds examples", () => {
  expect(names.length).toBeGreaterThan(0);
});

describe.each(names)("examples/%s", (name) => {
  it("runs and prints what it says", () => {
    expect(problems.has(name)).toBe(true);
    expect(problems.get(name)).toBeUndefined();
  });
});
