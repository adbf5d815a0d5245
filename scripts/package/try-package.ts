// Installs the packed package in an empty project, and runs there the programs of its own pages: the README, SKILL.md and the
// first guides. `npm run pack:try` does it on this Node.js, `npm run pack:try -- --all` on 20, 22 and 24 of test/portability, with
// the templates of `kumiko init` as well.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { installRuntimes, runtimePath } from "../../test/portability/runtimes.js";
import { parsePage } from "../docs/markdown.js";
import { runBlocks } from "../docs/run-snippets.js";
import { blockSnippet } from "../docs/snippet.js";
import { buildWhenStale } from "./build.js";

const root = join(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "skills/kumiko/SKILL.md",
  ...["first-agent", "tools", "workflow"].map((name) => `docs/guides/${name}.md`),
];
const quickly = ["--prefer-offline", "--no-audit", "--no-fund"];
const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-try-"));
try {
  buildWhenStale(root);
  const archive = pack();
  execFileSync("tar", ["-xzf", archive], { cwd: folder });
  for (const node of values.all ? otherNodes() : [process.execPath]) {
    await tryPages(node, archive);
    if (values.all) for (const template of ["agent", "chat"]) tryTemplate(node, archive, template);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** With `--all` as for a publish, with absolute links and the texts for coding agents, which take a while. */
function pack(): string {
  const options = values.all ? [] : ["--ignore-scripts"];
  const packed = npm(process.execPath, root, "pack", "--json", ...options, "--pack-destination", folder);
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("[\n")));
  return join(folder, filename);
}

function otherNodes(): string[] {
  const missing = installRuntimes();
  if (missing !== undefined) throw new Error(`The other versions of Node.js are not there: ${missing}.`);
  return ["node-20", "node-22", "node-24"].map((name) => runtimePath(`${name}/bin/node`));
}

/** What the pages say is taken from the package, and so is all that it needs. */
async function tryPages(node: string, archive: string): Promise<void> {
  const blocks = pages
    .flatMap((page) => parsePage(page, readFileSync(join(folder, "package", page), "utf8")).blocks)
    .filter(({ run }) => run)
    .map((block) => ({ block, snippet: blockSnippet(block) }));
  const others = packagesOf(blocks.flatMap(({ snippet }) => snippet.lines.map(({ text }) => text)).join("\n"));
  const project = mkdtempSync(join(folder, "project-"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "tried", private: true, type: "module" }));
  npm(node, project, "install", ...quickly, archive, ...others);
  const problems = await runBlocks(blocks, { folder: join(project, "blocks"), node });
  const count = `${blocks.length} programs of ${pages.length} pages with ${others.join(", ") || "nothing else"}`;
  tell(node, count, problems);
}

/** `kumiko init` with its template, installed, checked, tested and started as its last lines say. */
function tryTemplate(node: string, archive: string, template: string): void {
  const cwd = mkdtempSync(join(folder, "init-"));
  npm(node, cwd, "install", "--no-save", ...quickly, archive);
  execFileSync(node, ["node_modules/kumiko/dist/bin/kumiko.js", "init", "app", "--template", template], { cwd });
  const project = join(cwd, "app");
  const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  manifest.dependencies.kumiko = `file:${archive}`; // until it is published
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  npm(node, project, "install", ...quickly);
  const commands = ["check", "test", "start"];
  const problems = commands.flatMap((command) => {
    try {
      npm(node, project, "run", command);
      return [];
    } catch (error) {
      return [`npm run ${command}: ${error instanceof Error ? error.message : error}`];
    }
  });
  tell(node, `the template ${template}: npm run ${commands.join(", ")}`, problems);
}

function tell(node: string, what: string, problems: readonly string[]): void {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  for (const problem of problems) console.error(problem);
  console.log(`Node.js ${version}: ${what}: ${problems.length === 0 ? "passed" : `${problems.length} failed`}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** What programs import beside this package, each in the version of this repository. */
function packagesOf(text: string): string[] {
  const imported = [...text.matchAll(/\bfrom "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(([, name = ""]) => name);
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const others = [...new Set(imported)].filter((name) => name !== "kumiko" && !name.startsWith("node:"));
  return others.map((name) => `${name}@${devDependencies[name] ?? "*"}`);
}

/** npm of this machine, with another Node.js. */
function npm(node: string, cwd: string, ...args: string[]): string {
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const cli = npmCli();
  const [file, first] = cli === undefined ? ["npm", []] : [node, [cli]];
  const options = { cwd, encoding: "utf8", env: { ...process.env, PATH: path } } as const;
  return execFileSync(file, [...first, ...args, "--loglevel=error"], {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function npmCli(): string | undefined {
  const { npm_execpath: given = "" } = process.env;
  return given.endsWith("npm-cli.js") && existsSync(given) ? given : undefined;
}
