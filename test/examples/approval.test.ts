import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { usePrograms } from "../programs.js";

const root = join(import.meta.dirname, "../..");
const example = join(root, "examples/approval.ts");
const programOf = usePrograms(example);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kumiko-approval-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: unknown;
  readonly lines: readonly string[];
  readonly complaint: string;
}

/** One process of its own. */
function run(...args: readonly string[]): Promise<Ended> {
  const command = [programOf(example), ...args];
  const env = { ...process.env, NODE_ENV: undefined, VITEST: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, lines: stdout.trimEnd().split("\n"), complaint: stderr }),
    );
  });
}

/** Places an order; gives what was printed, and the arguments that answer it, as the last line tells them. */
async function place(): Promise<{ readonly placed: Ended; readonly toAnswer: readonly string[] }> {
  const placed = await run("--file", join(folder, "orders.db"));
  const [, toAnswer = ""] = placed.lines.at(-1)?.split("examples/approval.ts ") ?? [];
  return { placed, toAnswer: toAnswer.split(" ") };
}

const question = "Pay 240 € to Oak & Sons for 3 × oak chair?";

it("asks in one process and goes on in another, where what was done is not done again", {
  timeout: 60_000,
}, async () => {
  const { placed, toAnswer } = await place();
  const answered = await run(...toAnswer);

  expect(placed.code).toBe(0);
  expect(placed.lines.slice(0, 2)).toEqual(["reserves 3 × oak chair", question]);
  expect(answered.code).toBe(0);
  expect(answered.lines).toEqual([
    expect.stringMatching(/^pays 240 € to Oak & Sons, with the key .*node:pay/),
    "3 × oak chair: bought",
  ]);
});

it("takes a no for an answer, once", { timeout: 60_000 }, async () => {
  const { toAnswer } = await place();
  const no = toAnswer.map((word) => (word === "yes" ? "no" : word));

  expect((await run(...no)).lines).toEqual(["releases 3 × oak chair", "3 × oak chair: not bought"]);
  const again = await run(...no);
  expect(again.code).toBe(1);
  expect(again.complaint).toContain("There is no checkpoint");
});

it("shows the question of a waiting order as often as it is asked to, and does nothing else", {
  timeout: 60_000,
}, async () => {
  const { toAnswer } = await place();
  const shown = await run(...toAnswer.filter((word) => word !== "yes"));

  expect(shown.code).toBe(0);
  expect(shown.lines[0]).toBe(question);
});

it("says how it is used when it does not understand", { timeout: 60_000 }, async () => {
  const { code, complaint } = await run("order-7", "perhaps");

  expect(code).toBe(1);
  expect(complaint).toContain("npx tsx examples/approval.ts <order> yes");
});
