// Runs `npm ci` when node_modules is not what package-lock.json says, and does nothing otherwise.
// It stands before `npm test` and `npm run demo`, so that they work right after a clone: no dependencies here.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean, os?: string[], cpu?: string[] }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile
 */

main();

function main() {
  const tooOld = findOldNode();
  if (tooOld !== undefined) fail(tooOld);

  const reason = findReasonToInstall();
  if (reason === undefined) return;
  if (process.argv.includes("--check")) fail(`npm ci is needed: ${reason}.`);
  // not on the standard output, which belongs to the command that follows
  console.error(`Installing dependencies with npm ci, because ${reason}.`);
  const { status, error, stderr } = installDependencies();
  if (error !== undefined) fail(`npm could not be started: ${error.message}. Install npm and run the command again.`);
  if (status !== 0) fail(explain(stderr));
}

/** @returns {string | undefined} what to tell the user when this Node.js is older than package.json asks for */
function findOldNode() {
  /** @type {{ engines: { node: string } }} */
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const wanted = engines.node.replace(/^>=\s*/, "");
  const [major = 0, minor = 0] = wanted.split(".").map(Number);
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return undefined;
  return `Node.js ${wanted} or newer is needed, this is ${process.versions.node}. Install a newer one and run the command again.`;
}

/** @returns {string | undefined} */
function findReasonToInstall() {
  const installed = readLockfile(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return "nothing is installed yet";
  const wanted = readLockfile(join(root, "package-lock.json")) ?? {};
  for (const [path, wantedPackage] of Object.entries(wanted)) {
    if (path === "") continue;
    const installedPackage = installed[path];
    if (installedPackage === undefined) {
      // Optional packages are mostly builds for other platforms: npm leaves those out.
      if (!wantedPackage.optional) return `${path} is missing`;
      continue;
    }
    if (installedPackage.version !== wantedPackage.version || installedPackage.integrity !== wantedPackage.integrity) {
      return `${path} is ${installedPackage.version}, and package-lock.json says ${wantedPackage.version}`;
    }
  }
  return findBrokenPackage(wanted, installed);
}

/**
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 */
function findBrokenPackage(wanted, installed) {
  for (const [path, { os, cpu }] of Object.entries(installed)) {
    if (wanted[path] === undefined) return `${path} is no longer in package-lock.json`;
    if (!allows(os, process.platform) || !allows(cpu, process.arch))
      return `${path} was installed for another platform`;
    if (!existsSync(join(root, path, "package.json"))) return `${path} is missing`;
  }
  return undefined;
}

/**
 * @param {string[] | undefined} names like `["linux"]` or `["!win32"]`
 * @param {string} own
 */
function allows(names, own) {
  if (names === undefined || names.length === 0) return true;
  if (names.includes(`!${own}`)) return false;
  return names.includes(own) || names.every((name) => name.startsWith("!"));
}

/** @param {string} path */
function readLockfile(path) {
  try {
    /** @type {Lockfile} */
    const lockfile = JSON.parse(readFileSync(path, "utf8"));
    return lockfile.packages ?? {};
  } catch {
    return undefined;
  }
}

/** Only errors are wanted of npm, and those are put into one sentence. */
function installDependencies() {
  const command = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  /** @type {import("node:child_process").SpawnSyncOptionsWithStringEncoding} */
  const options = { cwd: root, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" };
  // npm names its own entry file to the scripts it runs: no shell, and the same npm.
  const npm = process.env.npm_execpath;
  if (npm?.endsWith("npm-cli.js")) return spawnSync(process.execPath, [npm, ...command], options);
  // On Windows npm is a command file, which only a shell can start. The command line is a constant.
  return spawnSync(["npm", ...command].join(" "), { ...options, shell: true });
}

/**
 * @param {string} output what npm wrote, with lines such as `npm error code ENOTFOUND`
 * @returns {string} what happened, and what to do
 */
function explain(output) {
  // for these the connection is to blame, and not the project
  const networkCodes =
    /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E5\d\d|E407|ENOTCACHED)$/;
  const lines = output.split("\n").flatMap((line) => /^npm (?:error|ERR!) ?(.*)$/.exec(line.trim())?.[1] ?? []);
  const code = lines.flatMap((line) => /^code (\S+)$/.exec(line)?.[1] ?? [])[0];
  const reason = lines.find(
    (line) => line.includes(" ") && !/^(?:code|errno|syscall|path|dest|network This) /.test(line),
  );
  const what = `npm ci failed${code === undefined ? "" : ` (${code})`}${reason === undefined ? "" : `: ${reason.replace(/\.$/, "")}`}.`;
  return networkCodes.test(code ?? "")
    ? `${what} Check the network connection, and what "npm config get registry" names; then run the command again.`
    : `${what} Run "npm ci" to see all that it says. Nothing else was run.`;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
