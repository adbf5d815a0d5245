import { readFile } from "../../tools/read-file.js";
import { searchText } from "../../tools/search-text.js";
import { ask, askForText, type Plan } from "../plan.js";
import { type Clause, folderIn, patternIn, quotedIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bullets, count, shortened } from "../wording.js";

export const textSearch: Skill = {
  example: 'Where is "createTool" used?',
  understand(clause) {
    const wanted = wantedText(clause);
    return wanted === undefined ? undefined : find(clause, wanted);
  },
};

const asksToSearch =
  /\b(?:find|search|grep|look for|looking for|contain\w*|mention\w*|occur\w*|import\w*|where|todos?|fixmes?|defined|declared)\b/i;
const asksForDefinition = /\b(?:defined|declared|definition|implemented|implementation)\b/i;

/** What stands in quotes, or the word that is asked for. */
function wantedText(clause: Clause): string | undefined {
  const { text } = clause;
  if (!asksToSearch.test(text)) return undefined;
  const quoted = quotedIn(clause)[0];
  if (quoted !== undefined) return quoted;
  const note = /\b(todo|fixme)s?\b/i.exec(text)?.[1];
  if (note !== undefined) return note.toLowerCase();
  return (
    /\bwhere (?:is|are|do we|does \S+) (?:the )?(?:(?:function|class|type|word|text|name|constant|variable) )?(\S+) (?:used|defined|declared|mentioned|called|imported|implemented|set|come)/i.exec(
      text,
    )?.[1] ??
    /\b(?:search|grep|look|looking)(?: in .+?)? for (?:the )?(?:(?:word|text|string) )?(\S+)/i.exec(text)?.[1] ??
    /\b(?:grep|search) (?!for\b|in\b)(\S+)/i.exec(text)?.[1] ??
    /\b(?:contains?|containing|mentions?|mentioning|imports?|importing|import from) (?:the )?(?:(?:word|text|string) )?(\S+)/i.exec(
      text,
    )?.[1] ??
    /\bdefinition of (?:the )?(\S+)/i.exec(text)?.[1] ??
    /^find (?:the )?(?:(?:word|text|string) )?(\S+)$/i.exec(text)?.[1]
  )?.replace(/[?.,;:()]+$/, "");
}

function* find(clause: Clause, text: string): Plan {
  const under = folderIn({ ...clause, text: clause.text.replace(text, " ") }) ?? ".";
  const pattern = patternIn({ ...clause, text: clause.text.replace(text, " ") });
  const found = yield* ask(
    searchText,
    { text, under, limit: 200, ...(pattern === undefined ? {} : { pattern }) },
    `Let me search for "${text}".`,
  );
  const where = `${pattern === undefined ? "" : ` in files like ${pattern}`}${under === "." ? "" : ` under ${under}`}`;
  if (!found.ok) return `I could not search${where}. ${found.reason}`;
  const { hits, lines, files, skipped } = found.value;
  const besides =
    skipped === 0 ? "" : ` ${count(skipped, "file was", "files were")} left out: binary, too large, or not readable.`;
  if (hits.length === 0) return `"${text}" does not occur${where} (node_modules and .git are not searched).${besides}`;

  const summary = `"${text}" stands in ${count(lines, "line")} of ${count(files, "file")}${where}`;
  const definition = hits.find((hit) => isDefinition(hit.text, text));
  if (definition === undefined || (!asksForDefinition.test(clause.text) && lines > 1)) {
    const shown = hits.slice(0, 8).map((hit) => `${hit.path}:${hit.line}: ${shortened(hit.text, 100)}`);
    const more = lines > shown.length ? [`… and ${lines - shown.length} more`] : [];
    const note =
      definition === undefined || shown.length === 1 ? "" : `\nIt is defined in ${definition.path}:${definition.line}.`;
    return `${summary}:\n${bullets([...shown, ...more])}${note}`;
  }
  const { path, line } = definition;
  const read = yield* askForText(
    readFile.id,
    { path, from: line, lines: 8 },
    `${path}:${line} looks like its definition. Let me read on from there.`,
  );
  const code = read.ok ? `:\n\n${indented(read.value)}` : `. I could not read it. ${read.reason}`;
  return `${summary}. It is defined in ${path}, line ${line}${code}`;
}

function isDefinition(line: string, name: string): boolean {
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const keyword = "(?:function\\*?|class|const|let|var|interface|type|enum|def|fn|func|struct|namespace)";
  return new RegExp(`\\b${keyword}\\s+${literal}\\b`, name === name.toLowerCase() ? "i" : "").test(line);
}

function indented(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines
    .filter((line) => !/^\[the file goes on/.test(line))
    .map((line) => `    ${line}`)
    .join("\n");
}
