import { env } from "node:process";
import { checkOptions, type OptionCheck } from "../../check-options.js";
import { invalidFolder, invalidTapeMode } from "../errors.js";
import { ModelRequests } from "./model-request.js";
import type { CassetteOptions, Tape, TapeMode } from "./tape.js";
import { TapeDeck } from "./tape-deck.js";
import { TapeFolder } from "./tape-folder.js";
import { TapeText } from "./tape-text.js";
import { TapedEmbedder } from "./taped-embedder.js";
import { tapedFunction } from "./taped-function.js";
import { TapedModel } from "./taped-model.js";
import { tapedTools } from "./taped-tools.js";

/**
 * A tape in a folder: what models, embedders and tools answer is kept there once, and comes from there from then on. A request that
 * the tape does not know is an error in CI (`TAPE_MISS`), which ends the run; elsewhere it is asked and kept.
 *
 * @example
 * const tape = cassette("tapes/support");
 * const agent = createAgent({ model: tape.model(openai("gpt-5")), tools: tape.tools([lookup]) });
 */
export function cassette(folder: string, options: CassetteOptions = {}): Tape {
  if (typeof folder !== "string" || folder.trim() === "") throw invalidFolder(folder);
  checkOptions("cassette", options, { mode: true, ignore: patterns, secrets: patterns });
  const { mode = modeOfEnvironment(), ignore = [], secrets = [] } = options;
  if (!isMode(mode)) throw invalidTapeMode("mode of cassette", mode);
  const text = new TapeText(secrets, ignore);
  const deck = new TapeDeck(new TapeFolder(folder), text, mode);
  const requests = new ModelRequests(text);
  return Object.freeze<Tape>({
    model: (model) => new TapedModel(model, deck, requests),
    embedder: (embedder) => new TapedEmbedder(embedder, deck),
    tools: (tools) => tapedTools(tools, deck),
    wrap: (name, work) => tapedFunction(name, work, deck),
    get stats() {
      return { ...deck.stats };
    },
  });
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
