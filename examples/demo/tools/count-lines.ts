import { extname } from "node:path";
import { createTool } from "kumiko";
import { z } from "zod";
import { dependencyFolders } from "../files/file-walk.js";
import { folderOf } from "../files/folder.js";
import { pathPattern } from "../files/path-pattern.js";
import { readLines } from "../files/read-lines.js";

export const countLines = createTool({
  id: "count_lines",
  description: "Counts text files and their lines by kind, without node_modules and .git.",
  inputSchema: z.object({
    pattern: z.string().optional().describe("Like *.ts or src/**/*.md; without a * it is a part of the path."),
    under: z.string().default(".").describe("A folder, relative to the folder of the question."),
  }),
  outputSchema: z.object({
    files: z.number(),
    lines: z.number(),
    byKind: z.array(z.object({ extension: z.string(), files: z.number(), lines: z.number() })),
    skipped: z.number().describe("Binary files, and files that could not be read."),
  }),
  execute: async ({ pattern, under }, ctx) => {
    const folder = folderOf(ctx);
    const matches = pathPattern(pattern);
    const byKind = new Map<string, { extension: string; files: number; lines: number }>();
    let seen = 0;
    let skipped = 0;
    for await (const { path } of await folder.walk(under, { signal: ctx.signal, skip: dependencyFolders })) {
      if (!matches(path)) continue;
      seen += 1;
      if (seen % 2_000 === 0) ctx.progress(`${seen} files so far`);
      try {
        let lines = 0;
        for await (const _ of readLines(await folder.locateFile(path), path, ctx.signal)) lines += 1;
        const extension = extname(path);
        const kind = byKind.get(extension) ?? { extension, files: 0, lines: 0 };
        byKind.set(extension, { extension, files: kind.files + 1, lines: kind.lines + lines });
      } catch (error) {
        if (ctx.signal.aborted) throw error;
        skipped += 1;
      }
    }
    const kinds = [...byKind.values()].sort((a, b) => b.lines - a.lines);
    return {
      files: kinds.reduce((sum, { files }) => sum + files, 0),
      lines: kinds.reduce((sum, { lines }) => sum + lines, 0),
      byKind: kinds,
      skipped,
    };
  },
});
