import type { TapeMode } from "./tape.js";
import { TapeDeck, type TapeStats } from "./tape-deck.js";
import { TapeFolder } from "./tape-folder.js";
import { TapeText } from "./tape-text.js";
import { TapedEmbedders } from "./taped-embedder.js";
import { callTaped } from "./taped-function.js";
import { TapedModels } from "./taped-model.js";
import { ToolWork } from "./tool-work.js";

/** The checked options of a tape. */
export interface TapeSettings {
  readonly folder: string;
  readonly mode: TapeMode;
  readonly ignore: readonly RegExp[];
  readonly secrets: readonly RegExp[];
  readonly stats: TapeStats;
}

/** Answers calls from a tape, or asks and puts the answers on it. */
export class TapePlayer {
  readonly models: TapedModels;
  readonly embedders: TapedEmbedders;
  readonly #deck: TapeDeck;

  constructor({ folder, mode, ignore, secrets, stats }: TapeSettings) {
    this.#deck = new TapeDeck(new TapeFolder(folder), new TapeText(secrets, ignore), mode, stats);
    this.models = new TapedModels(this.#deck);
    this.embedders = new TapedEmbedders(this.#deck);
  }

  tool(name: string): ToolWork {
    return new ToolWork(name, this.#deck);
  }

  call(name: string, work: Parameters<typeof callTaped>[2], self: unknown, args: unknown[]): Promise<unknown> {
    return callTaped(this.#deck, name, work, self, args);
  }
}
