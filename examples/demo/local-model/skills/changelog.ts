import { listFiles } from "../../tools/list-files.js";
import { readFile } from "../../tools/read-file.js";
import { ask, askForText, type Plan } from "../plan.js";
import { after, type Clause, packageNamesIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bullets, shortened } from "../wording.js";

export const changelog: Skill = {
  example: "What does the changelog say?",
  understand(clause) {
    if (
      !/\bchange ?logs?\b|\brelease notes\b|\bwhat(?: is|'s|’s) new\b|\b(?:what|which)\b.*\bchanged?\b.*\bversion\b/i.test(
        clause.text,
      )
    ) {
      return undefined;
    }
    return tellChanges(packageIn(clause), /\bv?(\d+\.\d+(?:\.\d+)?[\w.-]*)/.exec(clause.text)?.[1]);
  },
};

const CHANGELOG_NAME = /^(?:change-?log|changes|history|release-?notes)(?:\.\w+)?$/i;
const LINES_AT_ONCE = 80;
const MAX_ROUNDS = 12;
const MAX_POINTS = 8;

/** "the changelog of zod", "what is new in vitest", "zod's changelog" */
function packageIn(clause: Clause): string | undefined {
  const owner = /(\S+?)(?:'s|’s) (?:change ?log|release notes)/i.exec(clause.text)?.[1];
  if (owner !== undefined) return owner;
  const rest = after(clause, /\b(?:of|for|in|from) (?=[@\p{L}])/u);
  return rest && packageNamesIn(rest).find((name) => !/^(?:change|version|release|newest|latest|v?\d)/i.test(name));
}

function* tellChanges(name: string | undefined, version: string | undefined): Plan {
  const where = name === undefined ? "this folder" : name;
  const found = yield* ask(
    listFiles,
    { pattern: "*change*", under: name === undefined ? "." : `node_modules/${name}`, limit: 200 },
    `Let me look for a changelog${name === undefined ? "" : ` of ${name}`}.`,
  );
  if (!found.ok) return `I could not look for a changelog of ${where}. ${found.reason}`;
  const path = found.value.files
    .map((file) => file.path)
    .filter((each) => CHANGELOG_NAME.test(each.slice(each.lastIndexOf("/") + 1)))
    .sort((a, b) => a.split("/").length - b.split("/").length)[0];
  if (path === undefined) return `There is no changelog in ${where}.`;

  const lines: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const input = { path, from: round * LINES_AT_ONCE + 1, lines: LINES_AT_ONCE };
    const read = yield* askForText(readFile.id, input, round === 0 ? `${path} is there. Let me read it.` : "");
    if (!read.ok) return `I could not read ${path}. ${read.reason}`;
    const { text, isWhole } = withoutNote(read.value);
    lines.push(...text);
    const entry = findEntry(lines, version);
    if (entry !== undefined && (entry.isWhole || isWhole)) return tellEntry(path, entry);
    if (isWhole) break;
  }
  return version === undefined
    ? `${path} is there, but it has no entries under headings with versions.`
    : `I found no entry for version ${version} in ${path}.`;
}

/** The tool says in a last line of its own when a file goes on. */
function withoutNote(text: string): { text: string[]; isWhole: boolean } {
  const lines = text.replace(/\n$/, "").split("\n");
  const goesOn = /^\[the file goes on at line \d+\]$/.test(lines.at(-1) ?? "");
  return { text: goesOn ? lines.slice(0, -1) : lines, isWhole: !goesOn };
}

interface Entry {
  readonly heading: string;
  readonly lines: readonly string[];
  /** Whether the next entry was seen. */
  readonly isWhole: boolean;
}

/** The newest entry with something in it, or that of a version. */
function findEntry(lines: readonly string[], version: string | undefined): Entry | undefined {
  const starts = lines.flatMap((line, index) => (/^#{1,3} .*(?:\d+\.\d+|unreleased)/i.test(line) ? [index] : []));
  const entries = starts.map((start, index): Entry => {
    const end = starts[index + 1];
    return {
      heading: (lines[start] ?? "").replace(/^#+\s*/, "").trim(),
      lines: lines.slice(start + 1, end),
      isWhole: end !== undefined,
    };
  });
  return version === undefined
    ? entries.find((entry) => entry.lines.some((line) => line.trim() !== "") || !entry.isWhole)
    : entries.find(({ heading }) => heading.split(/[^\w.-]+/).some((word) => word.replace(/^v/, "") === version));
}

function tellEntry(path: string, { heading, lines }: Entry): string {
  const points = pointsOf(lines);
  const more = points.length > MAX_POINTS ? [`… and ${points.length - MAX_POINTS} more`] : [];
  if (points.length === 0) return `The entry "${heading}" of ${path} is empty.`;
  const shown = points.slice(0, MAX_POINTS).map((point) => shortened(point, 160));
  return `${path} says under "${heading}":\n${bullets([...shown, ...more])}`;
}

/** List items with the lines that continue them; where there are none, paragraphs. */
function pointsOf(lines: readonly string[]): string[] {
  const hasItems = lines.some((line) => /^\s*[-*+] /.test(line));
  const points: string[] = [];
  let open = false;
  for (const line of lines) {
    const item = /^\s*[-*+] (.*)$/.exec(line)?.[1];
    if (item !== undefined) {
      points.push(item);
      open = true;
    } else if (line.trim() === "" || line.startsWith("#")) {
      open = false;
    } else if (open) {
      points.push(`${points.pop()} ${line.trim()}`);
    } else if (!hasItems) {
      points.push(line.trim());
      open = true;
    }
  }
  return points;
}
