import { postgresStore } from "kumiko/postgres";
import { describe, expect, it } from "vitest";

const connectionString = "postgres://nobody@127.0.0.1:1/nothing";

/** What plain JavaScript may give. */
const given = (text: string) => JSON.parse(text);

describe("the arguments of postgresStore", () => {
  it.each([
    "{}",
    "null",
    '"postgres://localhost"',
    '{ "connectionString": "" }',
    '{ "connectionString": 7 }',
    '{ "pool": {} }',
    '{ "connectionString": "postgres://localhost", "pool": {} }',
  ])("are refused when they do not say how to connect: %s", (text) => {
    expect(() => postgresStore(given(text))).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringContaining("{ connectionString } or { pool }"),
      }),
    );
  });

  it("are refused when there is an option that it does not have", () => {
    expect(() => postgresStore(given('{ "connectionstring": "postgres://localhost" }'))).toThrow(
      'Unknown option "connectionstring" of postgresStore. Did you mean "connectionString"? Options: connectionString, pool.',
    );
    expect(() => postgresStore({ connectionString }, given('{ "tableName": "runs" }'))).toThrow(
      'Unknown option "tableName" of postgresStore. Options: table.',
    );
  });

  it.each([
    "",
    ".",
    "a.",
    ".a",
    "a.b.c",
    '"runs"',
    "my runs",
    "runs;",
    "runs'",
    "1st",
    "runs\u0000",
    "$kumiko$",
    "a".repeat(64),
    "ü".repeat(32),
  ])("are refused when %j is to be the table", (table) => {
    expect(() => postgresStore({ connectionString }, { table })).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringContaining("is not a valid table name"),
      }),
    );
  });

  it.each([undefined, "runs", "app.runs", "_1", "Läufe", "a".repeat(63)])(
    "are fine when %j is the table",
    async (table) => {
      await postgresStore({ connectionString }, { table }).close();
    },
  );
});
