import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { features } from "../../scripts/feature-files.mjs";

const source = join(import.meta.dirname, "../../src");

it.each(Object.entries(features))("names files that exist: %s", (_, files) => {
  expect(files.filter((file) => !existsSync(join(source, file)))).toEqual([]);
});
