import { folderSizes } from "../../tools/folder-sizes.js";
import { largestPackages } from "../../tools/largest-packages.js";
import { ask, type Plan } from "../plan.js";
import { after, type Clause, numberIn, packageNamesIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bytesText, count, numbered } from "../wording.js";

export const packageSizes: Skill = {
  example: "Which dependencies are largest?",
  understand(clause) {
    const single = after(clause, /\bhow (?:large|big|heavy) is\b|\bsize of\b/i);
    const [name] = single === undefined ? [] : packageNamesIn(single);
    if (name !== undefined && !name.includes(".")) return sizeOf(name);
    return isAboutLargest(clause) ? largest(clause) : undefined;
  },
};

/** The packages that "them" speaks of, after a question for the largest ones. */
export function* namesOfLargest(clause: Clause): Plan<string[]> {
  const found = yield* askForLargest(clause);
  return found.ok ? [...new Set(found.value.packages.map(({ name }) => name))] : [];
}

export function isAboutLargest({ text }: Clause): boolean {
  const aboutSize = /\b(?:larg\w+|big\w*|heav\w+|sizes?|most (?:disk )?space|how many)\b/i.test(text);
  const aboutPackages =
    /\b(?:installed|node_modules|packages|librar\w+)\b|\bdependenc\w+\b(?!.*\b(?:of|has|have)\b)/i.test(text);
  return aboutSize && aboutPackages && !/\bdepends? on\b/i.test(text);
}

function askForLargest(clause: Clause) {
  return ask(largestPackages, { limit: numberIn(clause, 50) ?? 5 }, "Let me measure the installed packages.");
}

function* largest(clause: Clause): Plan {
  const found = yield* askForLargest(clause);
  if (!found.ok) return `I could not measure the packages. ${found.reason}`;
  const { packages, installed, bytes } = found.value;
  if (installed === 0) return "No packages are installed in this folder: it has no node_modules with packages in it.";
  const lines = packages.map(({ name, version, path, bytes: size, files, listedAs }) => {
    const place = path === `node_modules/${name}` ? "" : `, in ${path}`;
    const list = listedAs === undefined ? "" : `, listed in ${listedAs}`;
    return `${name} ${version}: ${bytesText(size)} in ${count(files, "file")}${list}${place}`;
  });
  const whole = `${count(installed, "package is", "packages are")} installed, ${bytesText(bytes)} together.`;
  return `${whole} ${packages.length === 1 ? "The largest one" : "The largest"}:\n${numbered(lines)}`;
}

function* sizeOf(name: string): Plan {
  const path = `node_modules/${name}`;
  const found = yield* ask(folderSizes, { under: path, limit: 3 }, `Let me measure ${name}.`);
  if (!found.ok) return `I could not measure ${name}. ${found.reason}`;
  const { bytes, files, folders } = found.value;
  const most = folders[0] === undefined ? "" : ` Most of it is in ${folders[0].path} (${bytesText(folders[0].bytes)}).`;
  return `${name} takes ${bytesText(bytes)} in ${count(files, "file")}.${most}`;
}
