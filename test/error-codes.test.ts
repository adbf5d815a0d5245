import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const read = (path: string): string => readFileSync(join(import.meta.dirname, "..", path), "utf8");

/** The members of the type, in their order. */
function declaredCodes(): string[] {
  const type = /export type ErrorCode =([^;]*);/.exec(read("src/errors.ts"))?.[1] ?? "";
  return [...type.matchAll(/\| "(\w+)"/g)].map(([, code = ""]) => code);
}

interface Row {
  readonly code: string;
  readonly cells: readonly string[];
}

/** The rows of the page that begin with a code. */
function documentedRows(): Row[] {
  const rows = read("docs/guides/errors.md").matchAll(/^\| `([A-Z_]+)` \|(.*)\|$/gm);
  return [...rows].map(([, code = "", rest = ""]) => ({ code, cells: rest.split(" | ").map((cell) => cell.trim()) }));
}

describe("The page of error codes", () => {
  it("finds the codes", () => expect(declaredCodes()).toContain("MCP_PROTOCOL"));

  it("has every code once, in the order of the type, and no other", () => {
    expect(documentedRows().map(({ code }) => code)).toEqual(declaredCodes());
  });

  it.each(documentedRows())("says of $code what happened and what to do, in sentences", ({ cells }) => {
    expect(cells).toHaveLength(2);
    for (const cell of cells) expect(cell).toMatch(/^(`|[A-Z]).*\.$/);
  });
});
