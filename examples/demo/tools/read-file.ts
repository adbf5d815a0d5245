import { createTool } from "kumiko";
import { z } from "zod";
import { folderOf } from "../files/folder.js";
import { readLines } from "../files/read-lines.js";

/** The last line of a result that does not reach the end of the file. */
export const moreLines = (next: number): string => `[the file goes on at line ${next}]`;

/** Streams: each line is a chunk of the result, and there before the next one is read. */
export const readFile = createTool({
  id: "read_file",
  description: "Reads lines of a text file of the folder.",
  inputSchema: z.object({
    path: z.string().describe("A file, relative to the folder of the question."),
    from: z.int().min(1).default(1).describe("The first line to read."),
    lines: z.int().min(1).max(500).default(100).describe("How many lines to read."),
  }),
  execute: async function* ({ path, from, lines }, ctx) {
    const place = await folderOf(ctx).locateFile(path);
    let number = 0;
    for await (const line of readLines(place, path, ctx.signal)) {
      number += 1;
      if (number < from) continue;
      if (number >= from + lines) {
        yield `${moreLines(number)}\n`;
        return;
      }
      yield `${line}\n`;
    }
  },
});
