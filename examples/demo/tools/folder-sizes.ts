import { createTool } from "kumiko";
import { z } from "zod";
import { folderOf } from "../files/folder.js";

export const folderSizes = createTool({
  id: "folder_sizes",
  description: "Says how much space the folders directly inside a folder take, largest first. Counts everything.",
  inputSchema: z.object({
    under: z.string().default(".").describe("A folder, relative to the folder of the question."),
    limit: z.int().min(1).max(50).default(10),
  }),
  outputSchema: z.object({
    folders: z.array(z.object({ path: z.string(), bytes: z.number(), files: z.number() })),
    count: z.number().describe("How many folders there are, also beyond the limit."),
    bytes: z.number().describe("The size of everything, files outside of folders included."),
    files: z.number(),
  }),
  execute: async ({ under, limit }, ctx) => {
    const folder = folderOf(ctx);
    const base = folder.pathOf(await folder.locate(under));
    const prefix = base === "." ? "" : `${base}/`;
    const byFolder = new Map<string, { path: string; bytes: number; files: number }>();
    let bytes = 0;
    let files = 0;
    for await (const file of await folder.walk(under, { signal: ctx.signal })) {
      bytes += file.bytes;
      files += 1;
      const [name, ...below] = file.path.slice(prefix.length).split("/");
      if (below.length === 0) continue;
      const path = `${prefix}${name}`;
      const entry = byFolder.get(path) ?? { path, bytes: 0, files: 0 };
      byFolder.set(path, { path, bytes: entry.bytes + file.bytes, files: entry.files + 1 });
    }
    const folders = [...byFolder.values()].sort((a, b) => b.bytes - a.bytes).slice(0, limit);
    return { folders, count: byFolder.size, bytes, files };
  },
});
