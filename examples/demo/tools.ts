import { AgenticToolsNode, ToolError } from "kumiko";
import { countLines } from "./tools/count-lines.js";
import { folderSizes } from "./tools/folder-sizes.js";
import { largestPackages } from "./tools/largest-packages.js";
import { listFiles } from "./tools/list-files.js";
import { packageDependents } from "./tools/package-dependents.js";
import { packageInfo } from "./tools/package-info.js";
import { readFile } from "./tools/read-file.js";
import { searchText } from "./tools/search-text.js";

export const all = [
  listFiles,
  folderSizes,
  countLines,
  readFile,
  searchText,
  largestPackages,
  packageDependents,
  packageInfo,
];

/** Whatever goes wrong in a tool, the model is told and may try something else. */
export const toolSettings = {
  unknownToolsHandler: (name: string) => describeAlternatives(name),
  formatError: plainReason,
  timeoutMs: 60_000,
  maxResultLength: 50_000,
};

/** The tools alone, without an agent. */
export const tools = new AgenticToolsNode({ ...toolSettings, tools: all, onToolError: "result" });

/** Models ask for tools that they know from elsewhere. An answer that says what there is instead brings them back. */
export function describeAlternatives(name: string): string {
  const stems = name
    .toLowerCase()
    .split(/[^a-z]+/)
    .map(stemOf);
  const near = all.map(({ id }) => id).filter((id) => id.split("_").some((word) => stems.includes(stemOf(word))));
  const hint = near.length === 0 ? "" : ` The nearest: ${near.join(", ")}.`;
  return `${unknown}"${name}" here.${hint} All tools: ${all.map(({ id }) => id).join(", ")}.`;
}

const unknown = "There is no tool ";

/** Whether a result says that its tool is not there. */
export function isUnknown(result: string): boolean {
  return result.startsWith(unknown);
}

function stemOf(word: string): string {
  return word.slice(0, 6);
}

/** Errors of our own tools are written for the reader as they are; those of the node say what the model did wrong. */
export function plainReason(error: unknown): string {
  if (ToolError.is(error) && error.kind === "execution" && error.cause instanceof Error) return error.cause.message;
  return error instanceof Error ? error.message : String(error);
}
