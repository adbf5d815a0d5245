import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { messageOf } from "../errors.js";
import { isFields } from "../is.js";
import { askInitOptions, type InitOptions, readInitOptions } from "./init-options.js";

/** Makes a project that answers at once: a template of the package, copied. Returns the exit code. */
export async function init(args: readonly string[]): Promise<number> {
  try {
    const given = readInitOptions(args);
    const isAsking = process.stdin.isTTY && process.stdout.isTTY && !given.isQuiet;
    const options = isAsking ? await askInitOptions(given) : given;
    const folder = resolve(options.folder);
    refuseContent(folder);
    const files = copyTemplate(options.template, folder);
    say(`Made ${nameOf(folder)} with ${files.length} files:\n${files.map((file) => `  ${file}`).join("\n")}\n`);
    const isInstalled = options.isInstalled ? await install(folder) : undefined;
    say(nextCommands(folder, isInstalled === true));
    return isInstalled === false ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const nameOf = (folder: string): string => relative(process.cwd(), folder) || "this folder";

const shown = 10;

/** Throws if there is anything that could be overwritten. */
function refuseContent(folder: string): void {
  const found = entriesOf(folder).filter((name) => name !== ".git");
  if (found.length === 0) return;
  const list = found.slice(0, shown).map((name) => `  ${name}`);
  const more = found.length > shown ? `\n  … and ${found.length - shown} more` : "";
  throw new Error(
    `${nameOf(folder)} is not empty, and nothing is overwritten. It holds:\n${list.join("\n")}${more}\nName another folder: kumiko init my-agent`,
  );
}

function entriesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (!statSync(folder).isDirectory()) throw isFile(folder);
  return readdirSync(folder).sort();
}

const isFile = (path: string): Error => new Error(`${nameOf(path)} is a file. Name a folder that is empty, or new.`);

/** Also the folders around it. */
function makeFolder(folder: string): void {
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    if (existsSync(path) && !statSync(path).isDirectory()) throw isFile(path);
  }
  mkdirSync(folder, { recursive: true });
}

/** The package that this program is a part of: the templates are in it. */
const packageFolder = join(import.meta.dirname, "../..");

/** Copies the files of a template, and returns their names. */
function copyTemplate(template: InitOptions["template"], folder: string): string[] {
  const source = join(packageFolder, "examples/starters", template);
  makeFolder(folder);
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)));
  const written = files.map((file) => {
    // npm leaves out files that are called .gitignore
    const target = file === "gitignore" ? ".gitignore" : file;
    mkdirSync(dirname(join(folder, target)), { recursive: true });
    if (file === "package.json") writeFileSync(join(folder, file), manifestOf(join(source, file), folder));
    else cpSync(join(source, file), join(folder, target), { errorOnExist: true, force: false });
    return target.replaceAll("\\", "/");
  });
  return written.sort();
}

/** The manifest of a project: its own name, and the version of this package. */
function manifestOf(source: string, folder: string): string {
  const own = fieldsOf(join(packageFolder, "package.json"));
  const manifest = fieldsOf(source);
  const dependencies = { ...(manifest.dependencies as object), kumiko: `^${String(own.version)}` };
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return `${JSON.stringify({ ...manifest, ...(name !== "" && { name }), dependencies }, null, 2)}\n`;
}

function fieldsOf(path: string): Readonly<Record<string, unknown>> {
  const content: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isFields(content) ? content : {};
}

/** Runs `npm install` in the project; says what to do if that fails. */
function install(folder: string): Promise<boolean> {
  say("npm install …");
  return new Promise((done) => {
    // npm is a command file on Windows, which only a shell can run
    const child = spawn("npm install --no-audit --no-fund", { cwd: folder, stdio: "inherit", shell: true });
    child.once("error", () => done(false));
    child.once("close", (code) => done(code === 0));
  }).then((isDone) => {
    if (isDone !== true) {
      process.stderr.write(
        "npm install failed, as told above. The project is complete: install its packages once npm and a network are there.\n",
      );
    }
    return isDone === true;
  });
}

/** Three commands, of which the last shows that it works. */
function nextCommands(folder: string, isInstalled: boolean): string {
  const path = relative(process.cwd(), folder);
  const enter = path === "" ? [] : [`cd ${/[\s"'$&]/.test(path) ? JSON.stringify(path) : path}`];
  const commands = [...enter, ...(isInstalled ? [] : ["npm install"]), "npm start", "npm test"].slice(0, 3);
  return `Next:\n${commands.map((command) => `  ${command}`).join("\n")}`;
}
