import { createMiddleware, type Middleware } from "../agents/create-middleware.js";
import { resultReplacer } from "../agents/result-replacer.js";
import { type OngoingTurn, turnAround } from "../agents/turn.js";
import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import { messageOf } from "../errors.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { toolResultsOf } from "../schema/message/read-message.js";
import type { ReplaceResult } from "../tools/node/node-settings.js";
import { invalidWorkspaceOption } from "./errors.js";
import { folderPath, isWithin } from "./file-path.js";
import { fileTools, readFileName, type Workplace } from "./file-tools.js";
import { checkFilesOption, type Files, type FilesOption, requireFiles } from "./files.js";
import { PlainErrors } from "./plain-errors.js";
import { isInstruction } from "./read-folders.js";
import { wholeCharacters } from "./text-pages.js";

/** Options of {@link workspace}. */
export interface WorkspaceOptions {
  /** The files, or a function that chooses them for each call: those of a user or a thread, for instance. */
  readonly files: FilesOption;
  /** `true`: the agent only reads. Or the paths of files and folders that it does not write. @default false */
  readonly readOnly?: boolean | readonly string[] | undefined;
  /**
   * The length from which a text result of any tool is moved into a file, `results/<turn>-<call>.txt`: the log keeps its beginning and
   * the path. `false` for never. @default 20,000; `false` with `readOnly: true`
   */
  readonly resultLimit?: number | false | undefined;
}

const defaultLimit = 20_000;
const keptLength = 1_000;

/**
 * Gives an agent files, with the tools `list_files`, `read_file`, `write_file`, `edit_file` and `grep`. What fails is a result that the
 * model reads. Long results of all tools are moved into files; errors, pictures, what `read_file` gives and what is returned directly
 * stay. Folders of {@link skills} over the same files are not written to. Throws `INVALID_OPTION` for what is not valid.
 *
 * @example
 * const store = memoryStore();
 * const agent = createAgent({
 *   model,
 *   middleware: [workspace({ files: ({ threadId = "" }) => storeFiles(store, threadId), readOnly: ["templates"] })],
 *   store,
 * });
 */
export function workspace(options: WorkspaceOptions): Middleware {
  checkOptions("workspace", options, ["files", "readOnly", "resultLimit"]);
  const { files, readOnly = false } = options;
  checkFilesOption("workspace", files);
  const kept = checkedReadOnly(readOnly);
  const limit = checkedLimit(options);
  const filesOf = (turn: OngoingTurn, ctx: NodeContext): Files => chosenFiles("workspace", files, turn, ctx);
  const place: Workplace = {
    filesOf: (ctx) => new PlainErrors(filesOf(turnOf(ctx), ctx)),
    checkWritable: async (path, ctx) => {
      const turn = turnOf(ctx);
      const isKept = kept.some((folder) => isWithin(path, folder));
      if (isKept || (await isInstruction(filesOf(turn, ctx), path, turn, ctx)))
        throw new Error(`${path} is read only. Write another file.`);
    },
  };
  const { reading, writing } = fileTools(place);
  const tools = readOnly === true ? reading : [...reading, ...writing];
  const middleware = createMiddleware({ name: "workspace", tools });
  if (limit === false) return middleware;
  return Object.freeze({ ...middleware, [resultReplacer]: resultMover(limit, place) });
}

/** The files of a turn. */
export function chosenFiles(where: string, option: FilesOption, turn: OngoingTurn, ctx: NodeContext): Files {
  if (typeof option !== "function") return option;
  const files: unknown = option(turn.context(ctx));
  requireFiles(where, files);
  return files;
}

function turnOf(ctx: NodeContext): OngoingTurn {
  const turn = turnAround(ctx);
  if (turn === undefined) throw new Error("The tools of a workspace run in an agent.");
  return turn;
}

function checkedReadOnly(readOnly: unknown): readonly string[] {
  if (typeof readOnly === "boolean") return [];
  if (Array.isArray(readOnly)) return readOnly.map(folderPath);
  throw invalidWorkspaceOption("readOnly of workspace must be true, false or a list of paths.");
}

function checkedLimit({ readOnly, resultLimit }: WorkspaceOptions): number | false {
  if (readOnly === true) {
    if (resultLimit === undefined || resultLimit === false) return false;
    throw invalidWorkspaceOption("readOnly: true and resultLimit of workspace exclude each other: results are files.");
  }
  const limit: unknown = resultLimit ?? defaultLimit;
  if (limit === false || (typeof limit === "number" && Number.isInteger(limit) && limit >= 1)) return limit;
  throw invalidWorkspaceOption(
    `resultLimit of workspace must be false or a whole number of at least 1 (got ${String(limit)}).`,
  );
}

/** Moves long results into files. One that cannot be written stays whole. */
function resultMover(limit: number, { filesOf, checkWritable }: Workplace): ReplaceResult {
  return (ctx, result) => {
    const text = textIn(result);
    if (text === undefined || text.length <= limit || ctx.toolName === readFileName) return undefined;
    const path = `results/${numberOf(turnOf(ctx))}-${nameOf(ctx.toolCallId)}.txt`;
    const move = async (): Promise<string | undefined> => {
      try {
        await checkWritable(path, ctx);
        await filesOf(ctx).write(path, new TextEncoder().encode(text));
      } catch (error) {
        ctx.progress({ kind: "result_not_moved", path, message: messageOf(error) });
        return undefined;
      }
      const beginning = text.slice(0, wholeCharacters(text, Math.min(limit, keptLength)));
      return `${beginning}\n\n[The result has ${text.length} characters. All of it is in ${path}: read it with ${readFileName}.]`;
    };
    return move();
  };
}

/** The text of a result that is nothing but text. */
function textIn(message: AgenticMessage): string | undefined {
  const [block] = toolResultsOf(message);
  if (block === undefined || block.isError === true) return undefined;
  return block.content === undefined || block.content.every(({ type }) => type === "text") ? block.result : undefined;
}

/** The number of a turn, or of the one around it that has one: only turns of threads are numbered. */
function numberOf({ asked: { number }, outer }: OngoingTurn): number {
  return number ?? (outer === undefined ? 1 : numberOf(outer));
}

const longestCallId = 120;

/** The id of a call as a part of a path. */
function nameOf(callId: string): string {
  return callId
    .replaceAll(/[^\w-]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    .slice(0, longestCallId);
}
