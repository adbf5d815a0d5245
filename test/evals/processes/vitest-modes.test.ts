// A test of a user, run by vitest as a program, in all modes of a tape.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { usePrograms } from "../../programs.js";

const root = join(import.meta.dirname, "../../..");

const entries = ["index", "agents/index", "evals/index"].map((name) => join(root, `src/${name}.ts`));
const programOf = usePrograms(...entries);

/** The library compiled once, because vitest would do so again and again. */
function configText(): string {
  const names = ["kumiko", "kumiko/agents", "kumiko/evals"];
  const alias = names.map((name, index) => ({ name, path: programOf(entries[index] ?? "") }));
  return `export default { resolve: { alias: [${alias
    .map(({ name, path }) => `{ find: /^${name.replace("/", "\\/")}$/, replacement: ${JSON.stringify(path)} }`)
    .join()}] } };`;
}

const testOf = (prompt: string): string => `import { appendFileSync } from "node:fs";
import { assistantMessage, createTool, functionToolCall } from "kumiko";
import { createAgent } from "kumiko/agents";
import { calls, cassette, evaluate, gate, matchCalls } from "kumiko/evals";
import { expect, test } from "vitest";

const tape = cassette("tapes/support");
const provider = {
  component: "model", type: "openai/gpt-5",
  generate: async (messages) => {
    appendFileSync("provider.log", "called\\n");
    if (messages.at(-1).contentBlocks[0].type === "function_tool_result") return assistantMessage("It is refunded.");
    return assistantMessage([functionToolCall({ callId: "1", name: "lookup", arguments: '{"id":"inv_7"}' })]);
  },
};
const lookup = createTool({ id: "lookup", description: "Finds.", execute: async () => {
  appendFileSync("provider.log", "tool\\n");
  return { cents: 500 };
} });
const agent = createAgent({ instructions: ${JSON.stringify(prompt)}, model: tape.model(provider), tools: tape.tools([lookup]) });

test("looks the invoice up", async () => {
  const result = await agent.generate("Refund invoice inv_7");
  expect(matchCalls(calls(result), [{ tool: "lookup", input: { id: /^inv_/ } }])).toEqual({ score: 1 });
});
test("answers well", async () => {
  const report = await evaluate({
    run: ({ input }, ctx) => agent.generate(input, { parent: ctx }),
    scorers: { exact: ({ output, expected }) => output === expected },
  }).invoke([{ input: "Refund invoice inv_8", expected: "It is refunded." }]);
  expect(gate(report, { exact: 1 })).toEqual([]);
});`;

interface Project {
  readonly folder: string;
  /** Runs the tests, and tells how they ended and how often a provider was asked. */
  readonly run: (env: Record<string, string>) => Promise<{ passes: boolean; output: string; asked: number }>;
}

function newProject(): Project {
  // below the repository, so that packages are found
  const folder = mkdtempSync(join(root, "node_modules/.vitest-modes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "vitest.config.mjs"), configText());
  mkdirSync(join(folder, "tests"));
  const run: Project["run"] = async (given) => {
    const log = join(folder, "provider.log");
    rmSync(log, { force: true });
    const { CI: _ci, KUMIKO_TAPE: _mode, VITEST: _vitest, NODE_ENV: _env, ...env } = process.env;
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", "--root", folder], {
      cwd: folder,
      env: { ...env, NO_COLOR: "1", ...given },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (piece) => (output += piece));
    child.stderr.on("data", (piece) => (output += piece));
    const [code] = await once(child, "close");
    const asked = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
    return { passes: code === 0, output, asked };
  };
  return { folder, run };
}

it("replays in CI, records what is missing elsewhere, and everything on demand", { timeout: 240_000 }, async () => {
  const { folder, run } = newProject();
  const test = join(folder, "tests/support.test.ts");
  writeFileSync(test, testOf("You refund invoices."));

  const unrecorded = await run({ CI: "true" });
  expect(unrecorded).toMatchObject({ passes: false, asked: 0 });
  expect(unrecorded.output).toMatch(/"tapes\/support" has no answer .*The folder does not exist\./);
  expect(unrecorded.output).toContain("KUMIKO_TAPE=auto");
  expect(existsSync(join(folder, "tapes"))).toBe(false);

  expect(await run({})).toMatchObject({ passes: true, asked: 6 });
  const tape = readdirSync(join(folder, "tapes/support"));
  expect(await run({ CI: "true" })).toMatchObject({ passes: true, asked: 0 });
  expect(await run({ CI: "false" })).toMatchObject({ passes: true, asked: 0 });
  expect(await run({ KUMIKO_TAPE: "record" })).toMatchObject({ passes: true, asked: 6 });
  expect(readdirSync(join(folder, "tapes/support"))).toEqual(tape);

  writeFileSync(test, testOf("You refund invoices at once."));
  const changed = await run({ CI: "1" });
  expect(changed).toMatchObject({ passes: false, asked: 0 });
  expect(changed.output).toContain("messages[0].contentBlocks[0].text");
  expect(await run({ KUMIKO_TAPE: "replay" })).toMatchObject({ passes: false, asked: 0 });

  const wrong = await run({ KUMIKO_TAPE: "always" });
  expect(wrong).toMatchObject({ passes: false, asked: 0 });
  expect(wrong.output).toContain('KUMIKO_TAPE must be "replay", "auto" or "record" (got "always").');
});
