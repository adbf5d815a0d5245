import { listFiles } from "../../tools/list-files.js";
import { readFile } from "../../tools/read-file.js";
import { ask, askForText, type Outcome, type Plan } from "../plan.js";
import { fileNameIn, numberIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bullets, bytesText, count, some } from "../wording.js";

export const fileReading: Skill = {
  example: "What is in README.md?",
  understand(clause) {
    const { text } = clause;
    const asksToRead =
      /\b(?:what(?: is|'s|’s| are| does| do| stands?)|show|read|open|print|cat|display|summari[sz]e|describe|explain|first|tell|head|contents?)\b/i;
    const name = fileNameIn(clause) ?? bareName.exec(text)?.[1];
    if (name === undefined || !asksToRead.test(text)) return undefined;
    return tell(name, numberIn(clause, 40));
  },
};

/** A name without a dot, where nothing else can stand: "what is in src", "read the folder docs". */
const bareName =
  /\b(?:what(?: is|'s|’s) in(?:side)?|read|open|show|print|cat)(?: me)? (?:the )?(?:file |folder |directory )?([\p{L}\p{N}_-]+)$/iu;

const LINES = 200;

function* tell(name: string, lines: number | undefined): Plan {
  const read = yield* readAnywhere(name, lines ?? LINES);
  if (!read.ok) return read.reason;
  const { path, text } = read.value;
  if (text === undefined) return yield* tellFolder(path);
  const all = text.replace(/\n$/, "").split("\n");
  const goesOn = /^\[the file goes on/.test(all.at(-1) ?? "");
  const shown = goesOn ? all.slice(0, -1) : all;
  if (text === "") return `${path} is empty.`;
  if (lines !== undefined)
    return `${goesOn ? `The first ${count(shown.length, "line")}` : `All ${count(shown.length, "line")}`} of ${path}:\n\n${quoted(shown)}`;
  const length = goesOn ? `more than ${count(shown.length, "line")}` : count(shown.length, "line");
  return `${path} has ${length}. ${outline(path, shown)}`;
}

/** Reads a file; if there is none by that path, the one by that name; if it is a folder, its path alone. */
function* readAnywhere(name: string, lines: number): Plan<Outcome<{ path: string; text: string | undefined }>> {
  const direct = yield* askForText(readFile.id, { path: name, lines }, `Let me read ${name}.`);
  if (direct.ok) return { ok: true, value: { path: name, text: direct.value } };
  if (direct.reason.includes("is a folder")) return { ok: true, value: { path: name, text: undefined } };
  if (!direct.reason.startsWith("There is no"))
    return { ok: false, reason: `I could not read ${name}. ${direct.reason}` };
  const found = yield* ask(
    listFiles,
    { pattern: name, limit: 50 },
    `${direct.reason} Let me look for a file of that name.`,
  );
  const nearest = found.ok
    ? found.value.files.map(({ path }) => path).sort((a, b) => rank(a, name) - rank(b, name))[0]
    : undefined;
  if (nearest === undefined) return { ok: false, reason: `I found no file or folder "${name}" here.` };
  const read = yield* askForText(readFile.id, { path: nearest, lines }, `${nearest} could be meant.`);
  return read.ok
    ? { ok: true, value: { path: nearest, text: read.value } }
    : { ok: false, reason: `I could not read ${nearest}. ${read.reason}` };
}

/** Files of that very name first, then those not deep inside. */
function rank(path: string, name: string): number {
  const file = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const wanted = name.toLowerCase();
  const likeness = file === wanted ? 0 : file.startsWith(wanted) ? 100 : 1_000;
  return likeness + path.split("/").length;
}

function* tellFolder(path: string): Plan {
  const found = yield* ask(listFiles, { under: path, limit: 15 }, `${path} is a folder. Let me list it.`);
  if (!found.ok) return `I could not list ${path}. ${found.reason}`;
  const { files, matching, bytes } = found.value;
  if (matching === 0) return `${path} is a folder without files (node_modules and .git do not count).`;
  const lines = files.map((file) => `${file.path} (${bytesText(file.bytes)})`);
  const more = matching > files.length ? [`… and ${matching - files.length} more`] : [];
  return `${path} is a folder with ${count(matching, "file")}, ${bytesText(bytes)} together:\n${bullets([...lines, ...more])}`;
}

/** What a file is about, as far as its form tells it. */
export function outline(path: string, lines: readonly string[]): string {
  const text = lines.join("\n");
  if (/\.(?:md|mdx|markdown)$/i.test(path) || /^(?:readme|changelog)$/i.test(path)) return markdownOutline(lines);
  if (path.endsWith(".json")) {
    const keys = [...new Set([...text.matchAll(/^(?: {2}|\t)"([^"]+)":/gm)].map(([, key]) => key ?? ""))];
    if (keys.length > 0) return `At the top level it has ${some(keys, 15)}.`;
  }
  const declared = [
    ...text.matchAll(
      /^\s*(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|enum|const|def|fn|func|struct) (\w+)/gm,
    ),
  ];
  const names = [
    ...new Set(
      declared
        .filter(([line]) => /^\s*export|^(?:def|class|fn|func|struct)/.test(line) || !/^\s/.test(line))
        .map(([, name]) => name ?? ""),
    ),
  ];
  if (names.length > 0) return `It declares ${some(names, 12)}.`;
  return `It begins:\n\n${quoted(lines.slice(0, 8))}`;
}

function markdownOutline(lines: readonly string[]): string {
  const headings = lines.flatMap((line) => /^#{1,2} (.+)/.exec(line)?.[1] ?? []);
  const paragraph: string[] = [];
  for (const line of lines) {
    const isText = /^[\p{L}\p{N}*_`"“(]/u.test(line);
    if (isText) paragraph.push(line.trim());
    else if (paragraph.length > 0) break;
  }
  const [title, ...rest] = headings;
  return [
    ...(title === undefined ? [] : [`Its title is "${title}".`]),
    ...(paragraph.length === 0 ? [] : [`It begins: ${paragraph.join(" ").slice(0, 300)}`]),
    ...(rest.length === 0 ? [] : [`Its sections: ${some(rest, 10)}.`]),
  ].join(" ");
}

function quoted(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join("\n");
}
