// kumiko dev as a program: what it refuses, whom it serves, and that a changed file is loaded again.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readDevOptions } from "../../src/bin/dev-options.js";

const root = join(import.meta.dirname, "../..");
const program = join(root, "src/bin/kumiko.ts");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kumiko-dev-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  symlinkSync(join(root, "tsconfig.json"), join(path, "tsconfig.json"));
  return path;
}

/** Starts the command, and gives what it has written. */
function start(...args: string[]): () => string {
  const child = spawn(process.execPath, ["--import", "tsx", program, ...args], { cwd: root });
  let text = "";
  child.stdout?.on("data", (piece) => (text += piece));
  child.stderr?.on("data", (piece) => (text += piece));
  onTestFinished(() => void child.kill("SIGKILL"));
  return () => text;
}

const app = (name: string): string =>
  `import { Chain } from ${JSON.stringify(join(root, "src/index.ts"))};
   export const ${name} = new Chain().append((text) => text.length, { key: "count" }).compile({ name: "${name}" });`;

it("names what is wrong before anything listens", () => {
  const path = folder();
  const file = join(path, "app.ts");
  writeFileSync(file, app("counter"));
  for (const [args, message] of [
    [[], "Name the file"],
    [["nowhere.ts"], 'There is no file "nowhere.ts".'],
    [[file, file], "takes one file"],
    [[file, "--can", "all"], "--can must be look, answer or act"],
    [[file, "--host", "0.0.0.0"], "it needs a --token of at least 32 characters"],
    [[file, "--port", "x"], "--port must be a number"],
    [[file, "--colour"], "--colour"],
  ] as const) {
    expect(() => readDevOptions(args)).toThrow(message);
  }
  expect(readDevOptions([file, "--host", "::1"])).toMatchObject({ port: 4600, can: "act", isOpened: true });
});

it("serves its page to all, its data with the token only, and loads a changed file again", async () => {
  const path = folder();
  writeFileSync(join(path, "app.ts"), app("counter"));
  const output = start("dev", join(path, "app.ts"), "--no-open", "--port", "0");
  await expect.poll(output, { timeout: 20_000 }).toMatch(/#[\w-]{32}/);
  const [, address = "", token = ""] = /(http:\S+\/)#([\w-]+)/.exec(output()) ?? [];
  const ask = (given: string | undefined, headers: Record<string, string> = {}) =>
    fetch(`${address}api/about`, {
      headers: given === undefined ? headers : { ...headers, authorization: `Bearer ${given}` },
    });
  const apps = async (): Promise<string[]> => {
    const answer: { apps?: { key: string }[] } = await (await ask(token)).json();
    return (answer.apps ?? []).map(({ key }) => key);
  };
  await expect.poll(apps, { timeout: 20_000 }).toEqual(["counter"]);
  expect((await ask(undefined)).status).toBe(401);
  expect((await ask("x".repeat(32))).status).toBe(401);
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  writeFileSync(join(path, "app.ts"), app("renamed"));
  await expect.poll(apps, { timeout: 20_000 }).toEqual(["renamed"]);
  writeFileSync(join(path, "app.ts"), 'throw new Error("broken");');
  await expect.poll(async () => (await ask(token)).text(), { timeout: 20_000 }).toContain("broken");
  writeFileSync(join(path, "app.ts"), app("mended"));
  await expect.poll(apps, { timeout: 20_000 }).toEqual(["mended"]);
});
