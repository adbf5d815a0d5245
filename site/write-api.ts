import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readModules } from "../scripts/architecture/source-module.js";
import { findInternalNames } from "../scripts/docs/reference/internal-names.js";
import { slugOf } from "../scripts/docs/reference/reference.js";
import type { Entry } from "../scripts/public-api/entries.js";
import { output, pages, write } from "./content.js";
import { runTool } from "./tools.js";

const site = import.meta.dirname;

/** Writes one page of signatures for each entry, with typedoc. */
export function writeApi(root: string, entries: readonly Entry[]): void {
  // the root comes last: what it exports is documented where its subject is
  const [main, ...subpaths] = entries;
  const sources = main === undefined ? subpaths : [...subpaths, main];
  const names = sources.map(({ specifier, source }) => [
    source.replace(/^src\/|\/index\.ts$|\.ts$/g, ""),
    slugOf(specifier),
  ]);
  // of the program that tsconfig.json describes, only the entries and what they import
  const config = join(output, "tsconfig.json");
  const files = sources.map(({ source }) => join(root, source));
  write(config, JSON.stringify({ extends: join(root, "tsconfig.json"), files, include: [] }));
  const options = {
    extends: [join(site, "typedoc.json")],
    entryPoints: files,
    tsconfig: config,
    out: join(pages, "api"),
    plugin: ["typedoc-plugin-markdown", join(site, "typedoc-names.mjs")],
    intentionallyNotExported: findInternalNames(readModules(root, "src", (text) => text.includes("@internal"))),
  };
  const file = join(output, "typedoc.json");
  write(file, JSON.stringify(options));
  runTool("typedoc", ["--options", file, "--skipErrorChecking"], {
    env: { KUMIKO_ENTRIES: JSON.stringify(Object.fromEntries(names)) },
  });
  for (const name of readdirSync(join(pages, "api"))) {
    const file = join(pages, "api", name);
    const specifier = entries.find((entry) => `${slugOf(entry.specifier)}.md` === name)?.specifier;
    const text = readFileSync(file, "utf8").replace(/^# .*$/m, `# ${specifier ?? "API"}: signatures`);
    writeFileSync(file, headingsWithAnchors(text));
  }
  // its list of entries: the sidebar has it
  rmSync(join(pages, "api/index.md"), { force: true });
}

/**
 * typedoc counts equal names in another way than VitePress: its anchors become the ids of the headings that follow them, and
 * all other headings get numbers.
 */
function headingsWithAnchors(text: string): string {
  // the page itself is the element `app`
  const used = new Set(["app"]);
  let anchor: string | undefined;
  let number = 0;
  let inFence = false;
  const lines = text.split("\n").flatMap((line) => {
    if (line.startsWith("```")) inFence = !inFence;
    const [, id] = /^<a id="([^"]+)"><\/a>$/.exec(line) ?? [];
    if (id !== undefined) {
      anchor = id;
      return [];
    }
    if (inFence || !/^#{1,6} /.test(line)) return [line];
    const own = anchor !== undefined && !used.has(anchor) ? anchor : `section-${++number}`;
    used.add(own);
    anchor = undefined;
    return [`${line} {#${own}}`];
  });
  return lines.join("\n");
}
