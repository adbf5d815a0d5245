// Prints what an application pays for this package, minified and gzipped; `--files` shows where it comes from, `--features` what
// the features of the smallest graph weigh.
// `npm run budgets` is what keeps it there.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureBundles, measureWithout } from "./bundle-sizes.mjs";
import { features } from "./feature-files.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {{ gzippedBytes: Record<string, number> }} */
const { gzippedBytes: recorded } = JSON.parse(readFileSync(join(root, "budgets.json"), "utf8"));

const bundles = await measureBundles();
const columns = ["", "gzipped", "minified", "recorded", "on demand (gzipped)"];
const table = bundles.map(({ name, gzipped, minified, onDemand }) => [
  name,
  ...[gzipped, minified, recorded[name], onDemand].map((bytes) => bytes?.toLocaleString("en-US") ?? "–"),
]);
for (const row of [columns, ...table]) {
  console.log(row.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(21))).join(""));
}
if (process.argv.includes("--files")) for (const { name, files } of bundles) printFiles(name, files);
if (process.argv.includes("--features"))
  await printFeatures(bundles.find(({ name }) => name === "oneNodeGraph")?.gzipped ?? 0);

/** @param {number} whole */
async function printFeatures(whole) {
  console.log("\noneNodeGraph: what would be gone without a feature, gzipped");
  for (const [name, files] of [...Object.entries(features), ["all of them", Object.values(features).flat()]]) {
    const saved = whole - (await measureWithout(/** @type {string[]} */ (files)));
    console.log(`${saved.toLocaleString("en-US").padStart(8)}  ${name}`);
  }
}

/**
 * @param {string} name
 * @param {import("./bundle-sizes.mjs").FileShare[]} files
 */
function printFiles(name, files) {
  console.log(`\n${name}: the 25 largest of ${files.length} files, minified`);
  for (const { file, bytes } of files.sort((a, b) => b.bytes - a.bytes).slice(0, 25)) {
    console.log(`${bytes.toLocaleString("en-US").padStart(8)}  ${file}`);
  }
}
