import { statSync } from "node:fs";
import { env } from "node:process";
import { checkOptions, type OptionCheck } from "../../check-options.js";
import type { AgenticModel } from "../../components/model.js";
import type { Embedder } from "../../components/retrieval.js";
import { hasMethod, isFields } from "../../is.js";
import { isAiSdkEmbeddingModel } from "../../models/ai-sdk/provider-model.js";
import { aiSdkEmbedder } from "../../models/ai-sdk-embedder.js";
import type { Model } from "../../models/model.js";
import { resolvedModel } from "../../models/to-model.js";
import {
  folderIsFile,
  invalidFolder,
  invalidTapeMode,
  notAFunction,
  notATapedEmbedder,
  wrapNeedsName,
} from "../errors.js";
import type { Play } from "./play.js";
import type { CassetteOptions, Tape, TapeMode } from "./tape.js";
import { tapedTools } from "./taped-tools.js";

/**
 * A tape in a folder: what models, embedders and tools answer is kept there once, and comes from there from then on. A request that
 * the tape does not know is an error in CI (`TAPE_MISS`), which ends the run; elsewhere it is asked and kept.
 *
 * @example
 * const tape = cassette("tapes/support");
 * const agent = createAgent({ model: tape.model(openai("gpt-5")), tools: tape.tools([getWeather]) });
 */
export function cassette(folder: string, options: CassetteOptions = {}): Tape {
  if (typeof folder !== "string" || folder.trim() === "") throw invalidFolder(folder);
  checkOptions("cassette", options, { mode: true, ignore: patterns, secrets: patterns });
  const { mode = modeOfEnvironment(), ignore = [], secrets = [] } = options;
  if (!isMode(mode)) throw invalidTapeMode("mode of cassette", mode);
  if (isFile(folder)) throw folderIsFile(folder);
  const stats = { replayed: 0, recorded: 0, reused: 0 };
  let player: ReturnType<Play> | undefined;
  const load: Play = async () => {
    const { TapePlayer } = await import("./tape-player.js");
    return new TapePlayer({ folder, mode, ignore: [...ignore], secrets: [...secrets], stats });
  };
  const play: Play = () => {
    player ??= load();
    return player;
  };
  return Object.freeze<Tape>({
    model: (model) => tapedModel(model, play),
    embedder: (embedder) => tapedEmbedder(embedder, play),
    tools: (tools) => tapedTools(tools, play),
    wrap: (name, work) => tapedFunction(name, work, play),
    get stats() {
      return { ...stats };
    },
  });
}

function tapedModel(model: Model, play: Play): AgenticModel {
  const { type, find } = resolvedModel(model, "tape.model");
  return {
    component: "model",
    type,
    generate: async (messages, ctx) => (await play()).models.generate(find(ctx), messages, ctx),
    async *stream(messages, ctx) {
      yield* (await play()).models.stream(find(ctx), messages, ctx);
    },
  };
}

function tapedEmbedder(given: unknown, play: Play): Embedder {
  const embedder = embedderOf(given);
  return {
    component: "embedder",
    type: embedder.type,
    embed: async (texts, ctx) => (await play()).embedders.embed(embedder, texts, ctx),
  };
}

function embedderOf(given: unknown): Embedder {
  if (isFields(given) && given.component === "embedder" && hasMethod(given, "embed"))
    return given as object as Embedder;
  if (isAiSdkEmbeddingModel(given)) return aiSdkEmbedder(given) as Embedder;
  throw notATapedEmbedder(given);
}

function tapedFunction<F extends (...args: never[]) => Promise<unknown>>(name: string, work: F, play: Play): F {
  if (typeof name !== "string" || name === "") throw wrapNeedsName();
  if (typeof work !== "function") throw notAFunction("The second argument of tape.wrap", work);
  const taped = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    return (await play()).call(name, work as never, this, args);
  };
  // it takes and returns what the function does
  return taped as never as F;
}

/** Also if a part of the path is a file. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch (error) {
    return isFields(error) && error.code === "ENOTDIR";
  }
}

const patterns: OptionCheck = [
  (value) => Array.isArray(value) && value.every((pattern) => pattern instanceof RegExp),
  "a list of regular expressions",
];

const modes: readonly unknown[] = ["replay", "auto", "record"] satisfies TapeMode[];

function isMode(value: unknown): value is TapeMode {
  return modes.includes(value);
}

function modeOfEnvironment(): TapeMode {
  const { KUMIKO_TAPE: mode, CI: ci } = env;
  if (mode !== undefined && mode !== "") {
    if (!isMode(mode)) throw invalidTapeMode("KUMIKO_TAPE", mode);
    return mode;
  }
  return ci === undefined || ["", "false", "0"].includes(ci.toLowerCase()) ? "auto" : "replay";
}
