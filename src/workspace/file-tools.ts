import { byCodePoint } from "../checkpoint/journal/checkpoint-id.js";
import type { ToolContext } from "../components/tool.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { createTool } from "../tools/define/create-tool.js";
import { editFile } from "./edit-file.js";
import { filePath, folderPath } from "./file-path.js";
import type { Files } from "./files.js";
import { grep } from "./grep.js";
import { Page, pageOf, textOfFile } from "./text-pages.js";

/** Where the tools of a workspace work. */
export interface Workplace {
  filesOf(ctx: ToolContext): Files;
  /** Throws if a file must not be written. */
  checkWritable(path: string, ctx: ToolContext): Promise<void>;
}

const string = (description: string) => ({ type: "string", description }) as const;
const path = string("The relative path of the file, with /, such as notes/today.md.");
const folder = string("A folder. Everything if you leave it out.");
const count = (description: string) => ({ type: "integer", minimum: 0, description }) as const;

/** The tools that read, and those that write. */
export function fileTools(place: Workplace): { readonly reading: AnyTool[]; readonly writing: AnyTool[] } {
  return {
    reading: [listTool(place), readTool(place), grepTool(place)],
    writing: [writeTool(place), editTool(place)],
  };
}

function listTool(place: Workplace): AnyTool {
  return fileTool(
    "list_files",
    "Lists the paths of files. Those in folders named .git and node_modules are left out, unless you ask for such a folder.",
    { properties: { path: folder, after: string("Go on after this path.") }, required: [] },
    async ({ path = "", after = "" }: { readonly path?: string; readonly after?: string }, ctx) => {
      const page = new Page();
      let last = "";
      for await (const found of pathsIn(place.filesOf(ctx), path)) {
        if (byCodePoint(found, after) <= 0) continue;
        if (!page.add(found)) return page.text(`There is more. Go on with after: ${JSON.stringify(last)}.`);
        last = found;
      }
      return page.isEmpty ? "There are no files." : page.text();
    },
  );
}

function readTool(place: Workplace): AnyTool {
  return fileTool(
    readFileName,
    "Reads a text file. After 50,000 characters it says how to go on.",
    { properties: { path, offset: count("The character to begin with; 0 if you leave it out.") }, required: ["path"] },
    async ({ path, offset = 0 }: { readonly path: string; readonly offset?: number }, ctx) => {
      const name = filePath(path);
      const file = await place.filesOf(ctx).read(name);
      if (file === undefined) throw new Error(`There is no file ${name}. list_files shows which there are.`);
      const text = textOfFile(file.data);
      if (text === undefined) throw new Error(`${name} is a binary file of ${file.data.length} bytes.`);
      return pageOf(text, offset);
    },
  );
}

/** What reads a result that was moved: what it gives is not moved again. */
export const readFileName = "read_file";

function grepTool(place: Workplace): AnyTool {
  const text = { ...string("What to look for, character by character: no pattern."), minLength: 1 } as const;
  return fileTool(
    "grep",
    "Finds the lines of text files that contain a text. Folders named .git and node_modules are left out, unless you ask for such a folder.",
    {
      properties: { text, path: folder, skip: count("How many lines to leave out: those that you have seen.") },
      required: ["text"],
    },
    ({ text, path = "", skip = 0 }: { readonly text: string; readonly path?: string; readonly skip?: number }, ctx) => {
      const files = place.filesOf(ctx);
      return grep(files, { text, paths: pathsIn(files, path), skip, signal: ctx.signal });
    },
  );
}

function writeTool(place: Workplace): AnyTool {
  return fileTool(
    "write_file",
    "Writes a text file, and replaces the one that is there. Change a part of a file with edit_file.",
    { properties: { path, content: string("The whole text.") }, required: ["path", "content"] },
    async ({ path, content }: { readonly path: string; readonly content: string }, ctx) => {
      const name = filePath(path);
      await place.checkWritable(name, ctx);
      await place.filesOf(ctx).write(name, new TextEncoder().encode(content));
      return `Wrote ${name}.`;
    },
  );
}

function editTool(place: Workplace): AnyTool {
  return fileTool(
    "edit_file",
    "Replaces a text in a file. It must be in it exactly once, unless you set all.",
    {
      properties: {
        path,
        old: { ...string("The text to replace, as it is in the file."), minLength: 1 },
        new: string("What it becomes; empty to remove it."),
        all: { type: "boolean", description: "Replaces it everywhere." },
      },
      required: ["path", "old", "new"],
    },
    async (
      input: { readonly path: string; readonly old: string; readonly new: string; readonly all?: boolean },
      ctx,
    ) => {
      const name = filePath(input.path);
      await place.checkWritable(name, ctx);
      const replaced = await editFile(place.filesOf(ctx), { ...input, path: name, all: input.all === true }, ctx);
      return replaced === 1 ? `Edited ${name}.` : `Edited ${name} in ${replaced} places.`;
    },
  );
}

interface InputShape {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

function fileTool<Input>(
  id: string,
  description: string,
  shape: InputShape,
  execute: (input: Input, ctx: ToolContext) => Promise<string>,
): AnyTool {
  const tool = createTool({
    id,
    description,
    inputSchema: { type: "object", ...shape, additionalProperties: false },
    execute: (input, ctx) => execute(input as Input, ctx),
  });
  return tool as AnyTool;
}

const leftOut: readonly string[] = [".git", "node_modules"];

/** The paths in a folder. */
async function* pathsIn(files: Files, path: string): AsyncGenerator<string, void, undefined> {
  const folder = folderPath(path);
  const wanted = folder.split("/");
  for await (const found of files.list(folder)) {
    if (folder !== "" && found !== folder && !found.startsWith(`${folder}/`)) continue;
    if (found.split("/").some((name, index) => leftOut.includes(name) && wanted[index] !== name)) continue;
    yield found;
  }
}
