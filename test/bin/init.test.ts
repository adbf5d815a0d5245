// kumiko init as a program: what it makes, what it refuses, and that both templates work with the packed package.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWhenStale } from "../../scripts/package/build.js";
import { type Consumer, createConsumer } from "../../scripts/package/consumer.js";
import { readInitOptions } from "../../src/bin/init-options.js";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-init-"));
let consumer: Consumer;

beforeAll(() => {
  buildWhenStale(root);
  consumer = createConsumer(root, mkdtempSync(join(folder, "consumer-")));
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

const { CI: _ci, KUMIKO_TAPE: _mode, OPENAI_API_KEY: _key, ...env } = process.env;

function run(program: string, args: readonly string[], cwd: string, given: NodeJS.ProcessEnv = {}): Ended {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...env, NO_COLOR: "1", ...given },
    // npm is a command file on Windows
    shell: program === "npm" && process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { code: status, output: stdout, errors: stderr };
}

const init = (args: readonly string[], cwd: string, given?: NodeJS.ProcessEnv): Ended =>
  run(process.execPath, [join(consumer.installed, "dist/bin/kumiko.js"), "init", ...args], cwd, given);
const newFolder = (): string => mkdtempSync(join(folder, "new-"));

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

/** Runs `kumiko init` in a terminal of its own. Each text that is waited for is answered by keys. */
async function inTerminal(
  args: readonly string[],
  cwd: string,
  talk: readonly (readonly [text: string, keys: string])[],
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const command = [process.execPath, join(consumer.installed, "dist/bin/kumiko.js"), "init", ...args];
  const quoted = command.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", quoted, "/dev/null"], {
    cwd,
    env: { ...env, NO_COLOR: "1", TERM: "dumb" },
  });
  let screen = "";
  let seen = 0;
  const left = [...talk];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    for (let [next] = left; next !== undefined; [next] = left) {
      const at = screen.indexOf(next[0], seen);
      if (at < 0) return;
      seen = at + next[0].length;
      left.shift();
      child.stdin.write(next[1]);
    }
  });
  const [code] = await once(child, "close");
  return { code, screen };
}

/** Links what `npm install` would bring. */
function linkPackages(project: string): void {
  const modules = join(project, "node_modules");
  const link = (name: string, target: string) => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(target, join(modules, name), "junction");
  };
  for (const name of ["zod", "tsx", "typescript", "@types/node", "undici-types"]) {
    link(name, join(root, "node_modules", name));
  }
  link("@ai-sdk/openai", join(root, "node_modules/ai-sdk-openai-3"));
  link("kumiko", consumer.installed);
  link(".bin/tsx", join(root, "node_modules/tsx/dist/cli.mjs"));
  link(".bin/tsc", join(root, "node_modules/typescript/bin/tsc"));
}

describe.each([
  ["agent", "It is 21 °C in Kyoto, and the sky is clear.", "What is the weather in Kyoto?"],
  ["chat", "We have two: sencha", "Which green teas do you have? And which one is the mildest?"],
])("the template %s", (template, answer, questions) => {
  it("checks, tests and answers without a key", { timeout: 180_000 }, () => {
    const cwd = newFolder();
    const made = init(["My App", "--template", template], cwd);
    expect(made).toMatchObject({ code: 0, errors: "" });
    expect(made.output).toContain('Next:\n  cd "My App"\n  npm install\n  npm start\n');
    const project = join(cwd, "My App");
    const files = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeLessThanOrEqual(8);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(JSON.parse(readFileSync(join(project, "package.json"), "utf8"))).toMatchObject({
      name: "my-app",
      dependencies: { kumiko: `^${version}` },
    });
    expect(readFileSync(join(project, ".gitignore"), "utf8")).toContain("node_modules");

    linkPackages(project);
    expect(run("npm", ["run", "check"], project)).toMatchObject({ code: 0, errors: "" });
    const tested = run("npm", ["test"], project, { CI: "true" });
    expect(tested).toMatchObject({ code: 0, errors: "" });
    const started = run("npm", ["start"], project);
    expect(started).toMatchObject({ code: 0, errors: "" });
    expect(started.output).toContain("OPENAI_API_KEY is not set");
    expect(started.output).toContain(answer);
    const missed = run("npm", ["start", "--", "What is the weather in Oslo?"], project);
    expect(missed).toMatchObject({ code: 0, errors: "" });
    expect(missed.output).toContain(`The tape knows these questions: ${questions}`);
  });
});

describe("kumiko init", () => {
  it("overwrites nothing: it says what is there", () => {
    const cwd = newFolder();
    expect(init(["app"], cwd).code).toBe(0);
    rmSync(join(cwd, "app/agent.ts"));
    const again = init(["app"], cwd);
    expect(again).toMatchObject({ code: 1, output: "" });
    expect(again.errors).toMatch(/^app is not empty, and nothing is overwritten\. It holds:\n {2}\.gitignore\n/);
    expect(existsSync(join(cwd, "app/agent.ts"))).toBe(false);
    expect(init(["app/agent.test.ts"], cwd).errors).toContain("app/agent.test.ts is a file");
    expect(init(["app/agent.test.ts/deeper"], cwd).errors).toContain("app/agent.test.ts is a file");
  });

  it("works in the folder itself, with a repository in it, and asks nothing without a terminal", () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, ".git"));
    const made = init([], cwd);
    expect(made).toMatchObject({ code: 0, errors: "" });
    expect(made.output).toMatch(/^Made this folder with 8 files/);
    expect(made.output).toContain("Next:\n  npm install\n  npm start\n  npm test\n");
  });

  it("says what is wrong with its arguments", () => {
    for (const [args, message] of [
      [["a", "b"], "takes one folder (got a, b)"],
      [[""], "must not be empty"],
      [["a", "--template", "web"], 'There is no template "web". Templates: agent, chat.'],
      [["a", "--force"], "--force"],
    ] as const) {
      expect(() => readInitOptions(args)).toThrow(message);
    }
    expect(readInitOptions(["a", "-y"])).toMatchObject({ folder: "a", template: "agent", isQuiet: true });
  });

  describe.skipIf(!hasScript)("in a terminal (skipped without the program script of util-linux)", () => {
    it("asks for what was not given, and again after a template that does not exist", async () => {
      const cwd = newFolder();
      const ended = await inTerminal([], cwd, [
        ["Folder (this one): ", "tea\r"],
        ["Template (agent): ", "web\r"],
        ["Templates: agent, chat.", ""],
        ["Template (agent): ", "chat\r"],
      ]);
      expect(ended).toMatchObject({ code: 0 });
      expect(ended.screen).toContain("chat   a chat in the terminal that remembers, with a test");
      expect(ended.screen).toContain('There is no template "web". Templates: agent, chat.');
      expect(ended.screen).toContain("Made tea with 8 files:");
      expect(readFileSync(join(cwd, "tea/package.json"), "utf8")).toContain('"name": "tea"');
    });

    it("takes what is in brackets for Enter, and asks nothing that was given", async () => {
      const cwd = newFolder();
      const ended = await inTerminal(["tea"], cwd, [["Template (agent): ", "\r"]]);
      expect(ended).toMatchObject({ code: 0 });
      expect(ended.screen).not.toContain("Folder");
      expect((await inTerminal(["cup", "--template", "chat"], cwd, [])).screen).not.toContain("Template (");
      expect((await inTerminal(["--yes"], newFolder(), [])).screen).toContain("Made this folder with 8 files:");
    });

    it.each([
      ["Ctrl C", "\x03"],
      ["Ctrl D", "\x04"],
    ])("makes nothing after %s", async (_name, key) => {
      const cwd = newFolder();
      const ended = await inTerminal([], cwd, [["Folder (this one): ", key]]);
      expect(ended).toMatchObject({ code: 1 });
      expect(ended.screen).toContain("Nothing was made.");
      expect(readdirSync(cwd)).toEqual([]);
    });
  });

  it.skipIf(process.platform === "win32")("leaves a whole project when it cannot install", { timeout: 60_000 }, () => {
    const cwd = newFolder();
    const onlyNode = join(cwd, "bin");
    mkdirSync(onlyNode);
    symlinkSync(process.execPath, join(onlyNode, "node"));
    const offline = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
    for (const [name, given] of [
      ["without-npm", { PATH: onlyNode }],
      ["without-network", { ...offline, npm_config_cache: join(cwd, "cache") }],
    ] as const) {
      const ended = init([name, "--install"], cwd, given);
      expect(ended.code).toBe(1);
      expect(ended.errors).toContain("The project is complete");
      expect(ended.output).toContain(`Next:\n  cd ${name}\n  npm install\n  npm start\n`);
      expect(existsSync(join(cwd, name, "agent.ts"))).toBe(true);
    }
  });
});
