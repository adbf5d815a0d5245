import type { AgentRun } from "../../agents/agent-context.js";
import type { AgentResult } from "../../agents/agent-result.js";
import { partedLog } from "../../agents/threads/stored-turn.js";
import { readTurns } from "../../agents/threads/turn-row.js";
import { turnAround } from "../../agents/turn.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { textOf } from "../../schema/message/read-message.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { embedTexts } from "../embedding/embed-texts.js";
import type { QueryResult, VectorStore } from "../vectors/vector-store.js";

/** Options of `recall`. */
export interface RecallOptions {
  /** Where the turns are found again: the index `memory` in it. It is created when it is first needed. */
  readonly vectors: VectorStore;
  /** Computes the vectors. Another embedder of the same dimension finds nothing useful: use another vector store with it. */
  readonly embedder: AnyEmbedder;
  /** How many turns are recalled at most. @default 3 */
  readonly topK?: number | undefined;
}

/** What a turn has recalled, as the model reads it; empty if that is nothing. */
export interface Recalled {
  /** One JSON line per turn. */
  readonly text: string;
}

const indexName = "memory";
/** Many of the nearest entries may be of turns that are gone, or in view. */
const perRecalled = 8;
const longestText = 2_000;

/** What was said in a turn. */
interface Said {
  readonly user: string;
  readonly answer: string;
}

/** Whose turn an entry is of. */
export interface Place {
  readonly user: string;
  readonly thread: string;
  readonly turn: number;
}

/** The turns of users, found by what was said in them. */
export class Memory {
  readonly #options: RecallOptions;
  /** The dimension of the index, once it is there. */
  #dimension: number | undefined;

  constructor(options: RecallOptions) {
    this.#options = options;
  }

  /** What a turn should be told, as the model reads it; empty if that is nothing. */
  async recalled(run: AgentRun<Recalled>, topK: number): Promise<string> {
    const said = promptOf(run);
    return said === "" ? "" : (await turnsLike(this, said, topK, run)).map(lineOf).join("\n");
  }

  async keepTurn({ messages }: AgentResult<unknown>, place: Place): Promise<void> {
    const said = saidIn(messages);
    if (said.user !== "" && said.answer !== "") await this.keep(place, said);
  }

  async find(text: string, user: string, topK: number, signal: AbortSignal): Promise<QueryResult[]> {
    const queryVector = await this.#vectorOf(text, signal);
    return this.#options.vectors.query({ indexName, queryVector, filter: { user }, topK });
  }

  async keep(place: Place, said: Said, signal?: AbortSignal): Promise<void> {
    const document = documentOf(said);
    const vectors = [await this.#vectorOf(document, signal)];
    const ids = [`${place.thread}/${place.turn}`];
    await this.#options.vectors.upsert({ indexName, ids, vectors, documents: [document], metadata: [{ ...place }] });
  }

  async #vectorOf(text: string, signal?: AbortSignal): Promise<number[]> {
    const [vector = []] = await embedTexts(this.#options.embedder, [text], { signal });
    if (this.#dimension !== vector.length) {
      await this.#options.vectors.createIndex({ indexName, dimension: vector.length, text: false });
      this.#dimension = vector.length;
    }
    return vector;
  }
}

/** The turns that are there for the user, are done, and not in view; the nearest first. */
async function turnsLike(memory: Memory, text: string, topK: number, run: AgentRun<Recalled>): Promise<Said[]> {
  const { userId = "", threadId, view, signal, ctx } = run;
  const store = turnAround(ctx)?.store;
  if (store === undefined) return [];
  const found: Said[] = [];
  const inView = new Set(view.map((message) => JSON.stringify(message)));
  for (const { metadata, document } of await memory.find(text, userId, topK * perRecalled, signal)) {
    if (found.length >= topK) break;
    const { user, thread, turn } = metadata as Partial<Place>;
    if (user !== userId || typeof thread !== "string") continue;
    const turns = await readTurns(store, thread);
    const record = turns.find(({ record: { number } }) => number === turn)?.record;
    if (turns[0]?.record.userId !== userId || record?.status !== "done") continue;
    if (thread === threadId && record.messages.some((message) => inView.has(JSON.stringify(message)))) continue;
    if (record.messages.some(({ extra }) => extra?.blocked !== undefined)) continue;
    const said = saidIn(record.messages);
    // the turn that stands there now may be another one
    if (documentOf(said) === document) found.push(said);
  }
  return found;
}

function promptOf({ ctx }: AgentRun<Recalled>): string {
  return textsOf(partedLog(turnAround(ctx)?.state.log ?? []).prompts);
}

function saidIn(messages: readonly AgenticMessage[]): Said {
  const { prompts, answers } = partedLog(messages);
  const last = answers.findLast(({ role }) => role === "assistant");
  return { user: textsOf(prompts), answer: last === undefined ? "" : shortened(textOf(last)) };
}

function textsOf(messages: readonly AgenticMessage[]): string {
  return shortened(
    messages
      .filter(({ role }) => role === "user")
      .map(userText)
      .filter(Boolean)
      .join("\n"),
  );
}

function userText({ contentBlocks }: AgenticMessage): string {
  return contentBlocks.flatMap((block) => (block.type === "user_input_text" ? [block.text] : [])).join("\n");
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
}

function documentOf({ user, answer }: Said): string {
  return `${user}\n\n${answer}`;
}

function lineOf(said: Said): string {
  return JSON.stringify(said);
}
