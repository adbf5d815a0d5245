import { countLines } from "../../tools/count-lines.js";
import { folderSizes } from "../../tools/folder-sizes.js";
import { listFiles } from "../../tools/list-files.js";
import { packageInfo } from "../../tools/package-info.js";
import { readFile } from "../../tools/read-file.js";
import { ask, askForText, type Plan, together } from "../plan.js";
import type { Skill } from "../skill.js";
import { bullets, bytesText, count, enumerate, some } from "../wording.js";
import { outline } from "./file-reading.js";

export const overview: Skill = {
  example: "What is in this folder?",
  understand({ text }) {
    const here = "(?:this|the|it|here)(?: (?:folder|project|repo\\w*|directory|package|code ?base))?";
    const asksForAll = new RegExp(
      `\\bwhat (?:is|'s|does|are)(?: there)?(?: in| inside)? ${here}(?: (?:do|about|for|contain|hold))?$|\\bwhat(?:'s|’s) (?:in )?(?:this|here|inside)|\\b(?:describe|summari[sz]e|explain|tell (?:me|us)(?: something)? about) ${here}$|\\b(?:overview|what is this|what do you see)\\b`,
      "i",
    );
    return asksForAll.test(text) ? tellAll() : undefined;
  },
};

function* tellAll(): Plan {
  // four questions in one message, answered in parallel
  const [files, lines, sizes, project] = yield* together([
    ask(listFiles, { limit: 50 }, "Let me look around."),
    ask(countLines, {}),
    ask(folderSizes, { limit: 8 }),
    ask(packageInfo, {}),
  ]);
  if (!files.ok) return `I could not look into the folder. ${files.reason}`;
  const { matching, bytes, unreadable } = files.value;
  if (matching === 0) {
    return `There are no files in this folder (node_modules and .git do not count).${unreadableText(unreadable)}`;
  }
  const readme = files.value.files.find(({ path }) => /^readme(?:\.\w+)?$/i.test(path))?.path;
  const read =
    readme === undefined
      ? undefined
      : yield* askForText(readFile.id, { path: readme, lines: 60 }, `${readme} may tell more.`);
  const points = [
    `${count(matching, "file")}, ${bytesText(bytes)} together, without node_modules and .git.${unreadableText(unreadable)}`,
  ];
  if (matching <= 12) points.push(`They are ${enumerate(files.value.files.map(({ path }) => path))}.`);
  if (sizes.ok && sizes.value.folders.length > 0) {
    const folders = sizes.value.folders.map((folder) => `${folder.path} (${bytesText(folder.bytes)})`);
    const hidden = sizes.value.count - folders.length;
    points.push(`Folders: ${enumerate(hidden > 0 ? [...folders, `${hidden} more`] : folders)}.`);
  }
  if (lines.ok && lines.value.byKind.length > 0) {
    const kinds = lines.value.byKind.map(
      ({ extension, lines: length }) => `${extension || "no extension"} (${count(length, "line")})`,
    );
    points.push(`Kinds of text files: ${some(kinds, 6)}.`);
  }
  if (readme !== undefined && read?.ok) points.push(`${readme}: ${outline(readme, read.value.split("\n"))}`);
  return `${project.ok ? titleOf(project.value) : `${project.reason} This is what I see:`}\n${bullets(points)}`;
}

function titleOf({ name, version, description }: { name: string; version: string; description: string }): string {
  return `This is ${name}${version === "" ? "" : ` ${version}`}${description === "" ? ":" : `: ${description}`}`;
}

function unreadableText(unreadable: number): string {
  return unreadable === 0 ? "" : ` ${count(unreadable, "place", "places")} could not be read.`;
}
