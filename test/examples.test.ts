import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findProblem, runExample } from "../scripts/examples.js";
import { usePrograms } from "./programs.js";
import { startServer, whyNot } from "./stores/postgres/server.js";

const root = join(import.meta.dirname, "..");
const folder = join(root, "examples");
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".ts")) : [];
/** Examples with `// needs: PostgreSQL` get a server as `DATABASE_URL`. */
const needPostgres = names.filter((name) =>
  readFileSync(join(folder, name), "utf8").includes("\n// needs: PostgreSQL\n"),
);
const missing = whyNot();
const runnable = names.filter((name) => missing === undefined || !needPostgres.includes(name));
const programOf = usePrograms(...names.map((name) => join(folder, name)));
const problems = new Map<string, string | undefined>();

beforeAll(async () => {
  const waiting = [...runnable];
  const postgres = runnable.some((name) => needPostgres.includes(name)) ? await startServer() : undefined;
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const path = join(folder, name);
      const env = needPostgres.includes(name) ? { DATABASE_URL: postgres?.url() } : {};
      problems.set(name, findProblem(await runExample(root, programOf(path), 60_000, env), readFileSync(path, "utf8")));
    }
  };
  await Promise.all([work(), work()]).finally(() => postgres?.stop());
}, 600_000);

it("finds examples", () => {
  expect(names.length).toBeGreaterThan(0);
});

describe.each(runnable)("examples/%s", (name) => {
  it("runs and prints what it says", () => {
    expect(problems.has(name)).toBe(true);
    expect(problems.get(name)).toBeUndefined();
  });
});

describe.skipIf(missing === undefined).each(needPostgres)(`examples/%s (skipped: ${missing})`, () => {
  it("runs and prints what it says", () => undefined);
});
