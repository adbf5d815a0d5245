// Makes links absolute in the Markdown files that the package holds, because their targets are not in the package: npm runs
// `pack-links.mjs rewrite` before it packs and `pack-links.mjs restore` afterwards. No dependencies here.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";

/** @typedef {{ files?: readonly string[], version: string, repository: { url: string } }} Manifest */

/** @param {string} root */
export function rewrite(root) {
  restore(root); // what a pack that was killed has left
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const files = packedPages(root, manifest.files ?? []);
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const absolute = withAbsoluteLinks(text, file, manifest, new Set(files));
    if (absolute === text) continue;
    const kept = join(backupOf(root), file);
    mkdirSync(dirname(kept), { recursive: true });
    cpSync(join(root, file), kept, { preserveTimestamps: true });
    writeFileSync(join(root, file), absolute);
  }
}

/** @param {string} root */
export function restore(root) {
  const kept = backupOf(root);
  if (!existsSync(kept)) return;
  cpSync(kept, root, { recursive: true, preserveTimestamps: true });
  rmSync(kept, { recursive: true });
}

/**
 * Links and pictures of a page, made absolute. The README stands alone on the page of a registry, so all of its links are; in
 * other pages, links to pages that the package holds too stay as they are.
 *
 * @param {string} text
 * @param {string} file the path of the page in the repository
 * @param {Manifest} manifest
 * @param {ReadonlySet<string>} packed
 */
export function withAbsoluteLinks(text, file, { repository, version }, packed) {
  const home = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const raw = home.replace("https://github.com/", "https://raw.githubusercontent.com/");
  const staysAt = (/** @type {string} */ path) => file.includes("/") && packed.has(path);
  /** @param {string} target @param {boolean} isPicture */
  const absolute = (target, isPicture) => {
    if (/^(?:[a-z][a-z+.-]*:|#|\/\/)/i.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const to = posix.join(posix.dirname(file), path);
    if (staysAt(to)) return target;
    const url = isPicture ? `${raw}/v${version}/${to}` : `${home}/blob/v${version}/${to}`;
    return anchor === undefined ? url : `${url}#${anchor}`;
  };
  // fences are kept as they are
  return text
    .split(/(^[ \t]*```[\s\S]*?^[ \t]*```[^\n]*$)/m)
    .map((part, index) => (index % 2 === 1 ? part : replaceTargets(part, absolute)))
    .join("");
}

/**
 * @param {string} text
 * @param {(target: string, isPicture: boolean) => string} replace
 */
function replaceTargets(text, replace) {
  /** @param {string} label */
  const withPictures = (label) =>
    label.replace(/!\[([^\]]*)\]\(([^()\s]+)\)/g, (_, alt, target) => `![${alt}](${replace(target, true)})`);
  return text
    .replace(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      // a picture may be the label of a link
      (_, mark, label, target) => `${mark}[${withPictures(label)}](${replace(target, mark === "!")})`,
    )
    .replace(/^(\[[^\]]+\]: )(\S+)/gm, (_, start, target) => `${start}${replace(target, false)}`);
}

/**
 * The Markdown files of the package.
 *
 * @param {string} root
 * @param {readonly string[]} files
 */
function packedPages(root, files) {
  const found = files
    .map((name) => name.replace(/\/?\*\*?\/?\*?\.md$|\/$/, ""))
    .filter((name) => name !== "dist" && existsSync(join(root, name)))
    .flatMap((name) => {
      if (name.endsWith(".md")) return [name];
      if (!/^(?:docs|skills)/.test(name)) return [];
      const inside = readdirSync(join(root, name), { recursive: true, encoding: "utf8" });
      return inside.map((path) => posix.join(name, path.replaceAll("\\", "/"))).filter((path) => path.endsWith(".md"));
    });
  return [...new Set(["README.md", ...found])].filter((file) => existsSync(join(root, file))).sort();
}

/** @param {string} root */
const backupOf = (root) => join(root, "node_modules/.cache/kumiko-pack");

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = dirname(dirname(import.meta.dirname));
  if (process.argv[2] === "rewrite") rewrite(root);
  else if (process.argv[2] === "restore") restore(root);
  else {
    console.error("Usage: node scripts/package/pack-links.mjs rewrite | restore");
    process.exitCode = 2;
  }
}
