import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contextKey, createTool } from "kumiko";
import { z } from "zod";

/** Where reports go: a folder of the demo's own. */
export const reportsKey = contextKey<string>("reports");

export const saveReport = createTool({
  id: "save_report",
  description: "Saves a report as a Markdown file. Somebody must agree first.",
  inputSchema: z.object({ title: z.string().min(1).max(80), text: z.string().min(1) }),
  requireApproval: true,
  execute: async ({ title, text }, { requestContext }) => {
    const folder = requestContext.get(reportsKey);
    if (folder === undefined) throw new Error("This run has no folder for reports.");
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")}.md`);
    await writeFile(path, `# ${title}\n\n${text}\n`);
    return `Saved as ${path}.`;
  },
});
