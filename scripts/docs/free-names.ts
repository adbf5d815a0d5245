import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readEntries } from "../public-api/entries.js";
import { type FreeNames, topLevelNames } from "./snippet.js";

/** Where the examples of doc comments find what they do not make; the only such file. */
const exampleNames = "scripts/docs/example-names.ts";

/** The names that an `@example` may use without importing them: those of the package, and of `example-names.ts`. */
export function readExampleNames(root: string): FreeNames {
  const own = topLevelNames(readFileSync(join(root, exampleNames), "utf8"));
  const names = new Map([...own].map((name) => [name, "../scripts/docs/example-names.js"]));
  // The root comes last, so that it is preferred to the subpaths.
  for (const { specifier } of [...readEntries(root)].reverse()) {
    const reviewed = readFileSync(join(root, "test/public-api", `${specifier.replaceAll("/", "-")}.txt`), "utf8");
    for (const [, name = ""] of reviewed.matchAll(/^(?:value|type) (\S+)$/gm)) names.set(name, specifier);
  }
  return names;
}
