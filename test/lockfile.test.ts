import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

interface LockedPackage {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

type Packages = Readonly<Record<string, LockedPackage>>;

/** Where Node.js finds `name` for a package that is installed at `from`, if the lockfile has it there. */
function findInstalled(name: string, from: string, packages: Packages): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (path in packages) return path;
  if (from === "") return undefined;
  return findInstalled(name, from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0)), packages);
}

const lockfiles = ["", "test/mastra/", "test/mcp/conformance/", "test/portability/", "bench/peers/"].map(
  (folder) => `${folder}package-lock.json`,
);

describe.each(lockfiles)("%s", (path) => {
  const text = readFileSync(join(import.meta.dirname, "..", path), "utf8");
  const { packages }: { packages: Packages } = JSON.parse(text);

  it("has every dependency, those for other platforms too, so that npm ci works", () => {
    const missing = Object.entries(packages).flatMap(([from, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies })
        .filter((name) => findInstalled(name, from, packages) === undefined)
        .map((name) => `${from} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("names no host", () => {
    expect(text.split("\n").filter((line) => /"resolved"|registry/.test(line))).toEqual([]);
  });
});
