// Installs the libraries that are compared into this folder, when they are not there yet as package-lock.json has them.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const wanted = readFileSync(join(folder, "package-lock.json"), "utf8");
const mark = join(folder, "node_modules/.installed-lock.json");

if (!existsSync(mark) || readFileSync(mark, "utf8") !== wanted) {
  console.log("Installing the libraries that are compared: about 900 MB, into bench/peers/node_modules.");
  // Some of them ask for a newer Node.js than runs here, and work all the same; none needs its install scripts.
  const command = "npm ci --no-audit --no-fund --ignore-scripts --loglevel=error";
  const { status } = spawnSync(command, { cwd: folder, stdio: "inherit", shell: true });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(mark, wanted);
}
