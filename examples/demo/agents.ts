import type { CheckpointStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import type { Model } from "kumiko/models";
import { z } from "zod";
import { countLines } from "./tools/count-lines.js";
import { folderSizes } from "./tools/folder-sizes.js";
import { listFiles } from "./tools/list-files.js";
import { saveReport } from "./tools/save-report.js";
import { all, toolSettings } from "./tools.js";

const instructions = `You answer questions about the files of one folder and about the packages installed in it. Look into \
the files with the tools before you answer; paths are relative to the folder. Say so when you cannot find the answer.`;

const settings = { instructions, maxSteps: 40, toolsNode: toolSettings, onToolError: "result" } as const;

/** Answers one question. */
export function guideAgent(model: Model) {
  return createAgent({ ...settings, name: "guide", model, tools: all });
}

/** What the last turn of the demo gives. */
export const survey = z.object({
  files: z.number().describe("How many text files there are."),
  lines: z.number().describe("How many lines they have together."),
  largest: z.string().describe("The path of the largest file."),
});

/** The agents of one thread: they share its name and its store, and the second gives a value instead of a text. */
export function threadAgents(model: Model, store: CheckpointStore) {
  const surveyor = createAgent({
    ...settings,
    name: "surveyor",
    description: "Counts files and lines, and knows which files are large. Ask it in one sentence or two.",
    model,
    tools: [listFiles, folderSizes, countLines],
  });
  const shared = { ...settings, name: "guide", model, tools: [...all, saveReport, surveyor.asTool()], store };
  return { guide: createAgent(shared), reporter: createAgent({ ...shared, output: survey }) };
}
