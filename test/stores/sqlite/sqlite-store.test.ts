import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { sqliteStore } from "../../../src/stores/sqlite/sqlite-store.js";
import { checkpointStoreConformance } from "../../../src/testing/checkpoint-store-conformance.js";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("sqliteStore in a file", () => {
  it.each(checkpointStoreConformance(() => sqliteStore(join(folder, "conformance.db"))))("$name", ({ run }) => run());
});

describe("sqliteStore in memory", () => {
  const store = sqliteStore(":memory:");
  it.each(checkpointStoreConformance(() => store))("$name", ({ run }) => run());
});
