import { folderSizes } from "../../tools/folder-sizes.js";
import { listFiles } from "../../tools/list-files.js";
import { ask, type Plan } from "../plan.js";
import { type Clause, folderIn, numberIn, patternIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bytesText, count, numbered } from "../wording.js";

export const fileSizes: Skill = {
  example: "Which files are largest, and which folder takes most space?",
  understand(clause) {
    const { text } = clause;
    if (
      /\b(?:newest|latest|last|recent\w*)\b.*\b(?:files?|changed?|modified|edited|touched)\b|\b(?:changed|modified|edited) (?:last|most recently)\b/i.test(
        text,
      )
    ) {
      return newestFiles(clause);
    }
    if (!/\b(?:larg\w+|big\w*|heav\w+|longest|space|sizes?|huge)\b/i.test(text)) return undefined;
    if (/\bfiles?\b/i.test(text)) return largestFiles(clause);
    return /\b(?:folders?|director\w+|space|how (?:big|large) is (?:this|it|the))\b/i.test(text)
      ? largestFolders(clause)
      : undefined;
  },
};

/** The folder and kind of files that are asked for, as the tools want them. */
export function scopeOf(clause: Clause): { readonly under: string; readonly pattern?: string } {
  const pattern = patternIn(clause);
  return { under: folderIn(clause) ?? ".", ...(pattern === undefined ? {} : { pattern }) };
}

function* largestFiles(clause: Clause): Plan {
  const input = { ...scopeOf(clause), sortBy: "size" as const, limit: numberIn(clause, 50) ?? 5 };
  const found = yield* ask(listFiles, input, "Let me look at the sizes of the files.");
  if (!found.ok) return `I could not look at the files. ${found.reason}`;
  const { files, matching, bytes } = found.value;
  if (matching === 0) return "There are no such files here.";
  const lines = files.map((file) => `${file.path}: ${bytesText(file.bytes)}`);
  return `Of ${count(matching, "file")} with ${bytesText(bytes)} together (without node_modules and .git), the largest:\n${numbered(lines)}`;
}

function* newestFiles(clause: Clause): Plan {
  const input = { ...scopeOf(clause), sortBy: "modified" as const, limit: numberIn(clause, 50) ?? 5 };
  const found = yield* ask(listFiles, input, "Let me look at when the files were changed.");
  if (!found.ok) return `I could not look at the files. ${found.reason}`;
  const { files, matching } = found.value;
  if (matching === 0) return "There are no such files here.";
  const lines = files.map((file) => `${file.path}: ${file.modifiedAt.slice(0, 16).replace("T", " ")} UTC`);
  return `Of ${count(matching, "file")}, these were changed last:\n${numbered(lines)}`;
}

function* largestFolders(clause: Clause): Plan {
  const input = { under: folderIn(clause) ?? ".", limit: numberIn(clause, 50) ?? 5 };
  const found = yield* ask(folderSizes, input, "Let me measure the folders.");
  if (!found.ok) return `I could not measure the folders. ${found.reason}`;
  const { folders, bytes, files, count: all } = found.value;
  const whole = `It holds ${bytesText(bytes)} in ${count(files, "file")}`;
  if (all === 0) return `${whole}, and no folders.`;
  const lines = folders.map((folder) => `${folder.path}: ${bytesText(folder.bytes)} in ${count(folder.files, "file")}`);
  return `${whole}. Of ${count(all, "folder")}, the largest:\n${numbered(lines)}`;
}
