// The whole site: guides, reference, API, search, texts for coding agents, and checks of all of it. See start.mjs.
import { rmSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { findMissingSentences } from "../scripts/docs/reference/problems.js";
import { readReference } from "../scripts/docs/reference/read.js";
import { findGroupProblems, listGuides } from "../scripts/docs/site/guides.js";
import { findBrokenHtmlLinks } from "../scripts/docs/site/html-links.js";
import { readEntries } from "../scripts/public-api/entries.js";
import { checkSearch } from "./check-search.js";
import {
  dist,
  findStalePages,
  output,
  writeGuides,
  writeHome,
  writeNavigation,
  writeReference,
  writeTexts,
} from "./content.js";
import { groups } from "./pages.js";
import { runTool, serve, stopFor } from "./tools.js";
import { writeApi } from "./write-api.js";

const site = import.meta.dirname;
const root = dirname(site);
const entries = readEntries(root);

for (const name of ["pages", "cache"]) rmSync(join(output, name), { recursive: true, force: true });
const guides = listGuides(groups);
const reference = readReference(root, entries);
stopFor([...findGroupProblems(root, groups), ...writeGuides(guides), ...findMissingSentences(reference)], "sources");
console.log(`${guides.length} guides, ${reference.length} pages of reference`);

writeApi(root, entries);
writeReference(reference);
writeNavigation(guides, reference);
console.log(`${entries.length} pages of API`);

stopFor(writeHome(), "home page");
if (process.argv.includes("--serve")) {
  // answers until it is stopped
  watch(join(root, "docs/guides"), () => {
    for (const problem of writeGuides(guides)) console.error(problem);
  });
  console.log("The site is at http://127.0.0.1:5173 and shows changes of guides; Ctrl C stops it.");
  await serve(["dev", site, "--host", "127.0.0.1", "--port", "5173", "--strictPort"]);
  process.exit(0);
} else {
  rmSync(dist, { recursive: true, force: true });
  runTool("vitepress", ["build", site]);
  writeTexts(guides, reference);
  const problems = [...findBrokenHtmlLinks(dist), ...findStalePages(reference), ...(await checkSearch(dist))];
  stopFor(problems, "site");
  console.log("The site is in site/dist.");
}
