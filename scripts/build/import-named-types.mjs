import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * When a program exports what it infers, the compiler can only write names of modules that are part of the program. Types that
 * nobody writes by hand are named by these entries: the declarations of the root import them, those of other entries the root.
 */
const namers = ["schema", "components", "callbacks", "compose"];

const root = join(import.meta.dirname, "../..");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const own = namers.map((name) => exports[`./${name}`].types);

for (const { types } of Object.values(exports)) {
  if (types === undefined || own.includes(types)) continue;
  const imported = types === exports["."].types ? own : [exports["."].types];
  const path = join(root, types);
  const lines = imported.map((file) => `import "${specifier(dirname(path), join(root, file))}";\n`);
  writeFileSync(path, lines.join("") + readFileSync(path, "utf8"));
}

/** @param {string} folder @param {string} file */
function specifier(folder, file) {
  const path = relative(folder, file)
    .replaceAll("\\", "/")
    .replace(/\.d\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}
