import { createTool } from "kumiko";
import { z } from "zod";
import { dependencyFolders, type FoundFile } from "../files/file-walk.js";
import { folderOf } from "../files/folder.js";
import { pathPattern } from "../files/path-pattern.js";

const orders = {
  path: () => 0, // as they are found: those of a folder before those of the folders inside
  size: (a: FoundFile, b: FoundFile) => b.bytes - a.bytes,
  modified: (a: FoundFile, b: FoundFile) => b.modifiedAt.getTime() - a.modifiedAt.getTime(),
};

export const listFiles = createTool({
  id: "list_files",
  description: "Lists files of the folder, without node_modules and .git unless they are asked for with `under`.",
  inputSchema: z.object({
    pattern: z.string().optional().describe("Like *.ts or src/**/*.md; without a * it is a part of the path."),
    under: z.string().default(".").describe("A folder, relative to the folder of the question."),
    sortBy: z.enum(["path", "size", "modified"]).default("path").describe("Largest or newest first."),
    limit: z.int().min(1).max(200).default(20),
  }),
  outputSchema: z.object({
    files: z.array(z.object({ path: z.string(), bytes: z.number(), modifiedAt: z.string() })),
    matching: z.number().describe("How many files match, also beyond the limit."),
    bytes: z.number().describe("The size of all that match."),
    unreadable: z.number().describe("Folders and files that could not be looked at."),
  }),
  execute: async ({ pattern, under, sortBy, limit }, ctx) => {
    const walk = await folderOf(ctx).walk(under, { signal: ctx.signal, skip: dependencyFolders });
    const matches = pathPattern(pattern);
    const found: FoundFile[] = [];
    for await (const file of walk) if (matches(file.path)) found.push(file);
    return {
      files: found
        .sort(orders[sortBy])
        .slice(0, limit)
        .map(({ path, bytes, modifiedAt }) => ({ path, bytes, modifiedAt: modifiedAt.toISOString() })),
      matching: found.length,
      bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
      unreadable: walk.unreadable,
    };
  },
});
