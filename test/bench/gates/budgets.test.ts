import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { adviceOf, type Budgets, fails, judge, updated, type Verdict } from "../../../bench/gates/budgets.js";
import { runGates } from "../../../bench/gates/gates.js";

function judgeFigure(recorded: number | undefined, measured: number | undefined): Verdict {
  const figures = (figure: number | undefined): Budgets => ({ bytes: figure === undefined ? {} : { chain: figure } });
  const [verdict] = judge(figures(recorded), figures(measured));
  if (verdict === undefined) throw new Error("nothing was judged");
  return verdict;
}

describe("a budget", () => {
  it("fails a figure that is more than 10 % over it, and says what, how much and what to do", () => {
    const verdict = judgeFigure(1_000, 1_101);
    expect(fails(verdict)).toBe(true);
    const advice = adviceOf(verdict);
    for (const part of ['bytes of "chain"', "1,101", "1,000", "+10 %", "npm run budgets -- --update"]) {
      expect(advice).toContain(part);
    }
  });

  it("says nothing within 10 %", () => {
    for (const measured of [900, 1_000, 1_100]) {
      const verdict = judgeFigure(1_000, measured);
      expect([measured, fails(verdict), adviceOf(verdict)]).toEqual([measured, false, undefined]);
    }
  });

  it("asks, without failing, to record what has got better by more than 10 %", () => {
    const verdict = judgeFigure(1_000, 899);
    expect(fails(verdict)).toBe(false);
    expect(adviceOf(verdict)).toContain("has got better: 899, recorded 1,000 (-10 %)");
  });

  it("fails what was never recorded", () => {
    const verdict = judgeFigure(undefined, 5);
    expect([verdict.outcome, fails(verdict)]).toEqual(["not recorded", true]);
  });

  it("fails what is recorded and no longer measured", () => {
    const verdict = judgeFigure(5, undefined);
    expect([verdict.outcome, fails(verdict)]).toEqual(["not measured", true]);
  });

  it("allows no cost where none is recorded", () => {
    expect(judgeFigure(0, 0).outcome).toBe("kept");
    expect(judgeFigure(0, 1).outcome).toBe("over");
  });

  it("does not take something that is not a number for a good figure", () => {
    expect(judgeFigure(1_000, Number.NaN).outcome).toBe("over");
  });

  it("is not asked about kinds that were not measured", () => {
    expect(judge({ bytes: { chain: 1 }, promises: { chain: 1 } }, { bytes: { chain: 1 } })).toHaveLength(1);
  });
});

describe("an update", () => {
  it("records new figures, drops those that nothing measures, and leaves other kinds alone", () => {
    const recorded = { bytes: { chain: 1_000, gone: 5 }, promises: { chain: 1 } };
    expect(updated(recorded, { bytes: { chain: 500, loop: 7 } })).toEqual({
      bytes: { chain: 500, loop: 7 },
      promises: { chain: 1 },
    });
  });

  it("raises what is over its budget, lowers what has got better, and leaves the rest alone", () => {
    const recorded = { bytes: { over: 1_000, grown: 1_000, same: 1_000, better: 1_000 } };
    const measured = { bytes: { over: 1_101, grown: 1_100, same: 991, better: 989 } };
    expect(updated(recorded, measured)).toEqual({ bytes: { over: 1_101, grown: 1_000, same: 1_000, better: 989 } });
  });
});

describe("npm run budgets", () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-budgets-"));
  const path = join(folder, "budgets.json");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** With a gate that measures two programs. */
  async function run(...args: readonly string[]): Promise<{ code: number; output: string }> {
    const gates = { bundles: () => ({ gzippedBytes: { root: 2_000, oneNodeGraph: 1_000 } }) };
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const spies = (["log", "error"] as const).map((name) => vi.spyOn(console, name).mockImplementation(print));
    try {
      const code = await runGates(gates, ["bundles", "--budgets", path, ...args], "none.json");
      return { code, output: printed.join("\n") };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  it("fails when something has grown, and is content once that is recorded", async () => {
    writeFileSync(path, JSON.stringify({ gzippedBytes: { root: 1_000 }, other: { a: 1 } }));
    const failed = await run();
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('gzippedBytes of "root" is over its budget');
    expect(failed.output).toContain("budgets.json has no figure for it");

    expect((await run("--update")).code).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      gzippedBytes: { root: expect.any(Number), oneNodeGraph: expect.any(Number) },
      other: { a: 1 },
    });
    expect((await run()).code).toBe(0);
  });
});
