import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const text = readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8");
const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(text);

interface LockedPackage {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** Where Node.js finds `name` for a package that is installed at `from`, if the lockfile has it there. */
function findInstalled(name: string, from: string): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (path in packages) return path;
  return from === "" ? undefined : findInstalled(name, from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0)));
}

it("has every dependency, those for other platforms too, so that npm ci works", () => {
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies })
      .filter((name) => findInstalled(name, path) === undefined)
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

it("names no host", () => {
  expect(text.split("\n").filter((line) => /"resolved"|registry/.test(line))).toEqual([]);
});
