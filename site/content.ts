import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBrokenLinks } from "../scripts/docs/links.js";
import { digestOf, readPlaces, referencePage } from "../scripts/docs/reference/page.js";
import type { EntryDoc } from "../scripts/docs/reference/reference.js";
import type { GuidePage } from "../scripts/docs/site/guides.js";
import { findBrokenHomeLinks } from "../scripts/docs/site/home-links.js";
import { type LlmsPage, llmsFullText, llmsText, titleOf } from "../scripts/docs/site/llms.js";
import { type LinkTargets, rewriteLinks } from "../scripts/docs/site/rewrite-links.js";
import { groups } from "./pages.js";

const site = import.meta.dirname;
const root = dirname(site);
/** What is written on the way; git ignores it. */
export const output = join(site, ".out");
/** What VitePress reads. */
export const pages = join(output, "pages");
/** The finished site. */
export const dist = join(site, "dist");

const manifest: { version: string; repository?: string | { url: string } } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const { version, repository = "" } = manifest;
const address = typeof repository === "string" ? repository : repository.url;
const home = address.replace(/^git\+|\.git$/g, "") || "https://github.com/kumiko-ts/kumiko";

/** The skill for coding agents: in the repository, the package and the site. */
const skill = "skills/kumiko/SKILL.md";

/** Copies the guides. Gives their broken links. */
export function writeGuides(guides: readonly GuidePage[]): string[] {
  const targets = targetsOf(guides);
  for (const folder of ["guides/pictures", "performance"]) {
    const from = join(root, "docs", folder);
    if (existsSync(from)) cpSync(from, join(pages, folder), { recursive: true });
  }
  return guides.flatMap(({ file, path }) => {
    if (!existsSync(join(root, file))) return []; // findGroupProblems says so
    const { text, problems } = rewriteLinks(file, readFileSync(join(root, file), "utf8"), targets);
    write(join(pages, path), text);
    return [...new Set([...problems, ...findBrokenLinks(root, file)])];
  });
}

/** Copies the home page and what it shows, after all other pages. Gives its broken links. */
export function writeHome(): string[] {
  const text = readFileSync(join(site, "index.md"), "utf8");
  write(join(pages, "index.md"), text);
  cpSync(join(site, "static"), join(pages, "public"), { recursive: true });
  // written after the build
  const texts = ["llms.txt", "llms-full.txt"];
  const isThere = (path: string) =>
    texts.includes(path) || [path, `${path}.md`, `public/${path}`].some((name) => existsSync(join(pages, name)));
  return findBrokenHomeLinks("site/index.md", text, isThere);
}

function targetsOf(guides: readonly GuidePage[]): LinkTargets {
  return {
    root,
    pages: new Map(guides.map(({ file, path }) => [file, path])),
    repository: `${home}/blob/v${version}`,
  };
}

/** Writes the pages of the reference; their links lead to the pages of the API, which are there already. */
export function writeReference(reference: readonly EntryDoc[]): void {
  const places = readPlaces(reference);
  for (const entry of reference) {
    const api = readFileSync(join(pages, "api", `${entry.slug}.md`), "utf8");
    const anchors = new Map([...api.matchAll(/^### (\w+)(?:\(\))? \{#([^}]+)\}$/gm)].map(([, name, id]) => [name, id]));
    write(
      pathOf(entry),
      referencePage(entry, places, digestOf(root, entry), (name) => anchors.get(name)),
    );
  }
}

/** Reference pages whose sources have changed since they were written. */
export function findStalePages(reference: readonly EntryDoc[]): string[] {
  return reference
    .filter((entry) => !readFileSync(pathOf(entry), "utf8").includes(`\nsources: ${digestOf(root, entry)}\n`))
    .map(({ slug }) => `reference/${slug}.md is older than its sources. Build the site again.`);
}

function pathOf({ slug }: EntryDoc): string {
  return join(pages, "reference", `${slug}.md`);
}

/** What the configuration of VitePress reads: the sidebars. */
export function writeNavigation(guides: readonly GuidePage[], reference: readonly EntryDoc[]): void {
  const item = ({ path }: GuidePage) => ({
    text: titleOf(readFileSync(join(pages, path), "utf8")),
    link: `/${path.replace(/\.md$/, "")}`,
  });
  const inFolder = (text: string, folder: string) => [
    { text, items: reference.map(({ specifier, slug }) => ({ text: specifier, link: `/${folder}/${slug}` })) },
  ];
  const navigation = {
    version,
    repository: home,
    guides: groups.map(({ text }) => ({ text, items: guides.filter(({ group }) => group === text).map(item) })),
    reference: inFolder("Reference", "reference"),
    api: inFolder("API", "api"),
  };
  write(join(output, "navigation.json"), JSON.stringify(navigation));
}

/** The texts for coding agents. They are written after the build: as public files VitePress would index them too. */
export function writeTexts(guides: readonly GuidePage[], reference: readonly EntryDoc[]): void {
  const read = (path: string) => readFileSync(join(pages, path), "utf8");
  const all: LlmsPage[] = [
    ...guides.map(({ path, group }) => ({ group, link: `/${path}`, text: read(path) })),
    ...reference.map((entry) => ({
      group: "Reference",
      link: `/reference/${entry.slug}.md`,
      text: readFileSync(pathOf(entry), "utf8"),
    })),
  ];
  for (const { link, text } of all) write(join(dist, link), text);
  write(join(dist, skill), rewriteLinks(skill, readFileSync(join(root, skill), "utf8"), targetsOf(guides)).text);
  const more = [
    `[SKILL.md](/${skill}) is the shortest introduction, and [llms-full.txt](/llms-full.txt) has all pages in one text.`,
  ];
  write(join(dist, "llms.txt"), llmsText(all, more));
  write(join(dist, "llms-full.txt"), llmsFullText(all));
}

/** Writes a file, unless it has this text already: VitePress serves again what was written. */
export function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
