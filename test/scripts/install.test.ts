import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = join(import.meta.dirname, "../../scripts/install.mjs");
const one = { version: "1.0.0", integrity: "sha512-one" };
const other = { version: "2.0.0", integrity: "sha512-other", optional: true, os: ["no-such-platform"] };

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "kumiko-install-"));
  mkdirSync(join(project, "scripts"));
  copyFileSync(script, join(project, "scripts/install.mjs"));
  writeJson("package.json", { name: "project", engines: { node: ">=20.19" } });
  writeJson("package-lock.json", { packages: { "": {}, "node_modules/one": one, "node_modules/other": other } });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function writeJson(path: string, value: unknown) {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), JSON.stringify(value));
}

function install(packages: Record<string, object>) {
  writeJson("node_modules/.package-lock.json", { packages });
  for (const path of Object.keys(packages)) writeJson(`${path}/package.json`, {});
}

/** Runs the script with a stand-in for npm that writes its arguments to a file, says something and exits with `npmExit`. */
function run({ npmExit = 0, npmSays = "", check = false } = {}) {
  const npm = join(project, "npm-cli.js");
  writeFileSync(
    npm,
    `require("fs").writeFileSync("npm-was-run", process.argv.slice(2).join(" "));
     console.log("added 500 packages");
     console.error(${JSON.stringify(npmSays)});
     process.exitCode = ${npmExit};`,
  );
  const args = [join(project, "scripts/install.mjs"), ...(check ? ["--check"] : [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, npm_execpath: npm },
  });
  const log = join(project, "npm-was-run");
  return { status, output: stdout + stderr, stdout, npm: existsSync(log) ? readFileSync(log, "utf8") : undefined };
}

describe("install.mjs", () => {
  it("runs npm ci, development packages included, when nothing is installed", () => {
    const { status, output, stdout, npm } = run({ npmSays: "npm warn EBADENGINE Unsupported engine" });
    expect(npm).toBe("ci --include=dev --no-audit --no-fund --loglevel=error");
    expect(output).toBe("Installing dependencies with npm ci, because nothing is installed yet.\n");
    expect([status, stdout]).toEqual([0, ""]);
  });

  it("does nothing when everything is installed, other platforms' packages aside", () => {
    install({ "node_modules/one": one });
    expect(run()).toEqual({ status: 0, output: "", stdout: "", npm: undefined });
  });

  it.each([
    ["a package is not installed", {}, "node_modules/one is missing"],
    ["the lockfile names another version", { "node_modules/one": { ...one, version: "0.9.0" } }, "is 0.9.0"],
    [
      "the lockfile names other content",
      { "node_modules/one": { ...one, integrity: "sha512-x" } },
      "package-lock.json says",
    ],
    [
      "a package left the lockfile",
      { "node_modules/one": one, "node_modules/gone": one },
      "no longer in package-lock.json",
    ],
    ["it was installed elsewhere", { "node_modules/one": one, "node_modules/other": other }, "another platform"],
  ])("runs npm ci when %s", (_case, packages, reason) => {
    install(packages);
    const { output, npm } = run();
    expect(npm).toMatch(/^ci /);
    expect(output).toContain(reason);
  });

  it("runs npm ci when the folder of a package was deleted", () => {
    install({ "node_modules/one": one });
    rmSync(join(project, "node_modules/one"), { recursive: true });
    expect(run().npm).toMatch(/^ci /);
  });

  it("fails when npm ci fails, and says in one line what to do", () => {
    const noNetwork = [
      "npm error code ENOTFOUND",
      "npm error syscall getaddrinfo",
      "npm error network request to https://registry.example/zod failed, reason: getaddrinfo ENOTFOUND registry.example",
      "npm error network This is a problem related to network connectivity.",
      "npm error A complete log of this run can be found in: /tmp/debug.log",
    ].join("\n");
    const [, line, ...rest] = run({ npmExit: 1, npmSays: noNetwork }).output.split("\n");
    expect(line).toBe(
      'npm ci failed (ENOTFOUND): network request to https://registry.example/zod failed, reason: getaddrinfo ENOTFOUND registry.example. Check the network connection, and what "npm config get registry" names; then run the command again.',
    );
    expect(rest).toEqual([""]);
    const { status, output } = run({
      npmExit: 7,
      npmSays: "npm ERR! code EUSAGE\nnpm ERR! \nnpm ERR! The lockfile is old.",
    });
    expect(status).toBe(1);
    expect(output).toContain('\nnpm ci failed (EUSAGE): The lockfile is old. Run "npm ci" to see all that it says.');
    expect(run({ npmExit: 7 }).output).toContain('\nnpm ci failed. Run "npm ci"');
  });

  it("only says what is missing with --check", () => {
    const { status, output, npm } = run({ check: true });
    expect(status).toBe(1);
    expect(output).toContain("npm ci is needed: nothing is installed yet");
    expect(npm).toBeUndefined();
  });

  it("names the wanted and the own version when Node.js is too old", () => {
    writeJson("package.json", { engines: { node: ">=999.1" } });
    const { status, output, npm } = run();
    expect(status).toBe(1);
    expect(output).toContain("Node.js 999.1 or newer is needed");
    expect(output).toContain(process.versions.node);
    expect(npm).toBeUndefined();
  });
});
