// Installs the tools of the site when they are not there as package-lock.json has them, and starts build.ts: no dependencies here.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const site = import.meta.dirname;
const root = dirname(site);
/** @type {Record<string, string>} */
const scripts = { "--serve": "build.ts", "--look": "look/main.ts" };
const args = process.argv.slice(2);
const unknown = args.find((arg) => !Object.hasOwn(scripts, arg));

if (unknown !== undefined || args.length > 1) {
  fail(`npm run docs takes one of ${Object.keys(scripts).join(" and ")} (got ${args.join(" ")}).`);
}
if (!existsSync(join(root, "docs/guides"))) fail("docs/guides is missing: there is nothing to build the site from.");
install();
const script = scripts[args[0] ?? ""] ?? "build.ts";
const { status } = spawnSync(process.execPath, ["--import", "tsx", join(site, script), ...args], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);

function install() {
  const wanted = readFileSync(join(site, "package-lock.json"), "utf8");
  const mark = join(site, "node_modules/.installed-lock.json");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  console.log("Installing the tools of the site: about 200 MB, into site/node_modules.");
  // none of them needs its install scripts
  const command = "npm ci --no-audit --no-fund --ignore-scripts --loglevel=error";
  const result = spawnSync(command, { cwd: site, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", shell: true });
  if (result.status !== 0) {
    const [reason = ""] = result.stderr.split("\n").filter((line) => line.trim() !== "");
    fail(`npm ci in site/ failed; the tools of the site come from the npm registry once. ${reason}`);
  }
  writeFileSync(mark, wanted);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
