import { createHash } from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";
import { fingerprintOf } from "../../../src/mcp/client/fingerprint.js";

afterEach(() => vi.restoreAllMocks());

const tool = { name: "a", description: "ü", inputSchema: { type: "object", properties: { b: {}, a: {} } } };

it("a fingerprint is the SHA-256 of canonical JSON, with Node.js and without", async () => {
  const text = '{"description":"ü","inputSchema":{"properties":{"a":{},"b":{}},"type":"object"},"name":"a"}';
  const expected = createHash("sha256").update(text).digest("hex");
  expect(await fingerprintOf(tool)).toBe(expected);
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  expect(await fingerprintOf(tool)).toBe(expected);
});
