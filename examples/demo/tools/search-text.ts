import { createTool } from "kumiko";
import { z } from "zod";
import { dependencyFolders } from "../files/file-walk.js";
import { folderOf } from "../files/folder.js";
import { pathPattern } from "../files/path-pattern.js";
import { readLines } from "../files/read-lines.js";

const MAX_FILE_BYTES = 2_000_000;
const MAX_LINE_LENGTH = 200;

export const searchText = createTool({
  id: "search_text",
  description:
    "Finds lines that contain a text, without node_modules and .git. Capital letters count if the text has any.",
  inputSchema: z.object({
    text: z.string().min(1).describe("What to look for, letter by letter."),
    pattern: z.string().optional().describe("Which files: like *.ts; without a * it is a part of the path."),
    under: z.string().default(".").describe("A folder, relative to the folder of the question."),
    limit: z.int().min(1).max(200).default(20),
  }),
  outputSchema: z.object({
    hits: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
    lines: z.number().describe("How many lines contain it, also beyond the limit."),
    files: z.number().describe("In how many files."),
    skipped: z.number().describe("Files that are too large, binary, or could not be read."),
  }),
  execute: async ({ text, pattern, under, limit }, ctx) => {
    const folder = folderOf(ctx);
    const matches = pathPattern(pattern);
    const fold = text === text.toLowerCase() ? (line: string) => line.toLowerCase() : (line: string) => line;
    const hits: { path: string; line: number; text: string }[] = [];
    const files = new Set<string>();
    let seen = 0;
    let lines = 0;
    let skipped = 0;
    for await (const { path, bytes } of await folder.walk(under, { signal: ctx.signal, skip: dependencyFolders })) {
      if (!matches(path)) continue;
      seen += 1;
      if (seen % 2_000 === 0) ctx.progress(`${seen} files so far`);
      if (bytes > MAX_FILE_BYTES) {
        skipped += 1;
        continue;
      }
      let number = 0;
      try {
        for await (const line of readLines(await folder.locateFile(path), path, ctx.signal)) {
          number += 1;
          if (!fold(line).includes(text)) continue;
          lines += 1;
          files.add(path);
          if (hits.length < limit) hits.push({ path, line: number, text: line.trim().slice(0, MAX_LINE_LENGTH) });
        }
      } catch (error) {
        if (ctx.signal.aborted) throw error;
        skipped += 1;
      }
    }
    return { hits, lines, files: files.size, skipped };
  },
});
