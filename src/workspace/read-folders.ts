import type { OngoingTurn } from "../agents/turn.js";
import type { NodeContext } from "../components/context.js";
import { isWithin } from "./file-path.js";
import { type Files, type FilesOption, pathAmong } from "./files.js";

/** Where a middleware says which folder it tells the model what to do from. */
export const readFolder: unique symbol = Symbol("read folder");

/** A folder whose files are instructions. */
export interface ReadFolder {
  readonly files: FilesOption;
  readonly path: string;
}

/** Whether a file is among the instructions of an agent that runs: what a model has read must not change them. */
export async function isInstruction(files: Files, path: string, turn: OngoingTurn, ctx: NodeContext): Promise<boolean> {
  for (let around: OngoingTurn | undefined = turn; around !== undefined; around = around.outer) {
    for (const { files: option, path: folder } of readFoldersOf(around)) {
      const others = typeof option === "function" ? option(around.context(ctx)) : option;
      const place = await pathAmong(files, others, folder);
      if (place !== undefined && isWithin(path, place)) return true;
    }
  }
  return false;
}

/** Those of every agent that the conversation can come to. */
function readFoldersOf({ agents }: OngoingTurn): ReadFolder[] {
  const middlewares = agents.flatMap(({ middleware }) => middleware);
  return middlewares.flatMap((one) => (readFolder in one ? [one[readFolder] as ReadFolder] : []));
}
