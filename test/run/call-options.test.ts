import { Chain, type RunOptions } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";

const cases: readonly [what: string, options: RunOptions][] = [
  ["nodes", { nodes: plain(5) }],
  ["options", { options: plain([]) }],
  ["callbacks", { callbacks: plain({}) }],
  ["callbacks", { callbacks: plain([undefined]) }],
  ['nodes["step"]', { nodes: { step: plain(true) } }],
  ['nodes["step"].callbacks', { nodes: { step: { callbacks: plain({}) } } }],
  ["signal", { signal: plain({}) }],
  ["requestContext", { requestContext: plain("user") }],
  ["The options of a run", plain(null)],
];

describe("options of a run", () => {
  for (const [what, options] of cases) {
    it(`are refused before anything runs when ${what} is not what it should be: ${JSON.stringify(options)}`, async () => {
      const log: string[] = [];
      const chain = new Chain<number>()
        .append((count) => log.push(`ran ${count}`), { key: "step" })
        .compile({ callbacks: [{ onStart: () => log.push("start"), onError: () => void log.push("error") }] });
      const refusal = { code: "INVALID_OPTION", message: expect.stringContaining(`${what} must be`) };
      await expect(chain.invoke(1, options)).rejects.toMatchObject(refusal);
      await expect(chain.stream(1, options).next()).rejects.toMatchObject(refusal);
      expect(log).toEqual([]);
    });
  }
});
