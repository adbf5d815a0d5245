import { countLines } from "../../tools/count-lines.js";
import { listFiles } from "../../tools/list-files.js";
import { ask, type Plan } from "../plan.js";
import { type Clause, fileNameIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bullets, bytesText, count } from "../wording.js";
import { scopeOf } from "./file-sizes.js";

export const lineCounts: Skill = {
  example: "How many lines of TypeScript are in src?",
  understand(clause) {
    if (
      !/\bhow (?:many|much)\b.*\b(?:files?|lines?|code|loc|tests)\b|\b(?:count|number of)\b.*\b(?:files?|lines?)\b|\bhow long is\b/i.test(
        clause.text,
      )
    ) {
      return undefined;
    }
    return countThem(clause);
  },
};

export const fileLists: Skill = {
  example: "Which markdown files are there?",
  understand(clause) {
    const { text } = clause;
    const name = fileNameIn(clause);
    const asksWhere =
      /\bwhere (?:is|are|can i find)\b|\bis there\b|\bfind (?:the |a |all )?(?:files?|folder)\b|\bdo(?:es)? .* (?:have|exist)\b/i.test(
        text,
      );
    if (asksWhere && name !== undefined) return list({ under: ".", pattern: name });
    const asksForList =
      /\b(?:list|show|which|what|find|give)\b(?: \S+){0,4} (?:files|tests)\b(?!.*\b(?:import|contain|mention|use)s?\b)/i.test(
        text,
      );
    return asksForList ? list(scopeOf(clause)) : undefined;
  },
};

function* countThem(clause: Clause): Plan {
  const name = fileNameIn(clause);
  const isOneFile = name !== undefined && /\.\w+$/.test(name) && !name.startsWith(".") && !name.includes("*");
  const scope = isOneFile ? { pattern: name } : scopeOf(clause);
  const found = yield* ask(countLines, scope, "Let me count.");
  if (!found.ok) return `I could not count. ${found.reason}`;
  const { files, lines, byKind, skipped } = found.value;
  const what = scope.pattern === undefined ? "" : ` like ${scope.pattern}`;
  const where = "under" in scope && scope.under !== "." ? ` in ${scope.under}` : "";
  const besides =
    skipped === 0
      ? ""
      : ` ${count(skipped, "file was", "files were")} left out, because ${skipped === 1 ? "it is" : "they are"} no text.`;
  if (files === 0) return `There are no text files${what}${where} (node_modules and .git do not count).${besides}`;
  const whole = `${count(files, "text file")}${what}${where} with ${count(lines, "line")}, without node_modules and .git.${besides}`;
  if (byKind.length === 1) return whole;
  const kinds = byKind
    .slice(0, 6)
    .map(
      (kind) =>
        `${kind.extension || "without an extension"}: ${count(kind.lines, "line")} in ${count(kind.files, "file")}`,
    );
  return `${whole} The most:\n${bullets(kinds)}`;
}

function* list(scope: { readonly under: string; readonly pattern?: string }): Plan {
  const found = yield* ask(listFiles, { ...scope, limit: 30 }, "Let me look at the files.");
  if (!found.ok) return `I could not look at the files. ${found.reason}`;
  const { files, matching, bytes } = found.value;
  const what = scope.pattern === undefined ? "" : ` like ${scope.pattern}`;
  const where = scope.under === "." ? "" : ` in ${scope.under}`;
  if (matching === 0) return `There are no files${what}${where} (node_modules and .git do not count).`;
  const lines = files.map((file) => `${file.path} (${bytesText(file.bytes)})`);
  const more = matching > files.length ? [`… and ${matching - files.length} more`] : [];
  return `${count(matching, "file")}${what}${where}, ${bytesText(bytes)} together:\n${bullets([...lines, ...more])}`;
}
