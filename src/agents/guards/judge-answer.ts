import type { NodeContext } from "../../components/context.js";
import { readAll } from "../../models/passing-source.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import type { AssistantGenText, ContentBlock, FunctionToolCall } from "../../schema/message/content-block.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { ChunkSource } from "../../schema/stream/source.js";
import { withCallIds } from "../../tools/node/call-ids.js";
import type { ToolTable } from "../../tools/node/tool-table.js";
import { outputToolName } from "../agent-parts.js";
import type { OngoingTurn } from "../turn.js";
import type { GuardOptions } from "./guard.js";
import { ask, block, type Judged } from "./judge.js";
import { JudgedText } from "./judged-text.js";

type Tell = (chunk: AgenticMessage) => Promise<void> | undefined;

/** Judges the answers of a turn. */
export interface AnswerJudge {
  /** Reads an answer in pieces, and tells what readers get of it. */
  read(given: ChunkSource<AgenticMessage>, tell: Tell): Promise<void>;
  whole(message: AgenticMessage): Promise<AgenticMessage>;
}

/** `undefined` if no guard looks at answers. */
export function answerJudge(turn: OngoingTurn, ctx: NodeContext, table: ToolTable): AnswerJudge | undefined {
  if (!turn.guards.some(({ output, toolCall }) => (output ?? toolCall) !== undefined)) return undefined;
  return {
    read: (given, tell) => readJudged(new JudgedAnswer(turn, ctx, table), given, tell),
    whole: async (message) => {
      const chunks: AgenticMessage[] = [];
      const given = StreamReader.from([message]).takeSource();
      await readJudged(new JudgedAnswer(turn, ctx, table), given, (chunk) => void chunks.push(chunk));
      const blocked = chunks.find(({ extra }) => extra?.blocked !== undefined);
      return blocked === undefined ? concatMessages(chunks) : withoutRestart(blocked);
    },
  };
}

function withoutRestart({ restart, ...message }: AgenticMessage): AgenticMessage {
  return message;
}

type Blocked = Judged & { readonly block: string };

/** Text that is under way: that of blocks which follow one another is one text, for that is how it is read. */
interface OpenText {
  readonly pieces: TextPiece[];
  readonly stages: readonly JudgedText[];
}

/** A block of it. */
interface TextPiece {
  readonly block: AssistantGenText;
  readonly index: number | undefined;
  /** How much of it is not released. */
  left: number;
  /** What is released of a block that is given in one piece. */
  text: string;
}

/** One answer on its way through the guards, in one piece or in many: the outcome is the same. */
class JudgedAnswer {
  readonly #turn: OngoingTurn;
  readonly #ctx: NodeContext;
  readonly #table: ToolTable;
  readonly #guards: readonly GuardOptions[];
  readonly #judgesCalls: boolean;
  /** Structured answers are judged whole. */
  readonly #isWhole: boolean;
  #text: OpenText | undefined;
  /** Blocks that wait for the end of the answer. */
  #held: ContentBlock[] = [];
  #isRead = false;

  constructor(turn: OngoingTurn, ctx: NodeContext, table: ToolTable) {
    this.#turn = turn;
    this.#ctx = ctx;
    this.#table = table;
    this.#guards = turn.guards.filter(({ output }) => output !== undefined);
    this.#judgesCalls = turn.guards.some(({ toolCall }) => toolCall !== undefined);
    this.#isWhole = turn.root.output !== undefined;
  }

  /** What is released of a chunk, if anything; a promise where a guard makes one, or more than a piece of text comes. */
  take(chunk: AgenticMessage): AgenticMessage | undefined | Promise<AgenticMessage | undefined> {
    return this.#takePiece(chunk) ?? this.#takeAny(chunk);
  }

  /** The usual chunk: one more piece of the block of text that is under way, for one guard. `undefined` if it is another one. */
  #takePiece(chunk: AgenticMessage): AgenticMessage | Promise<AgenticMessage | undefined> | undefined {
    const [given] = chunk.contentBlocks;
    const { pieces = [], stages = [] } = this.#text ?? {};
    const [piece] = pieces;
    const [stage] = stages;
    if (piece === undefined || stage === undefined || pieces.length + stages.length > 2) return undefined;
    if (given?.type !== "assistant_gen_text" || piece.index === undefined || this.#isWhole) return undefined;
    if (given.streamingMeta?.index !== piece.index || !isPlain(chunk) || saysMore(given)) return undefined;
    const { length } = given.text;
    const release = (text: string): AgenticMessage | undefined => {
      if (stage.blocked !== undefined) throw new BlockedAnswer(stage.name, stage.blocked);
      piece.left += length - text.length;
      if (text === "") return undefined;
      this.#isRead = true;
      return { ...chunk, contentBlocks: [bare(piece.block, text)] };
    };
    const released = stage.take(given.text, false);
    return released instanceof Promise ? released.then(release) : (release(released) ?? nothing);
  }

  /** What is released at the end of the answer. */
  async end(): Promise<AgenticMessage | undefined> {
    const last = [...(await this.#endText()), ...(await this.#endHeld())];
    return last.length > 0 ? { role: "assistant", contentBlocks: last } : undefined;
  }

  /** What readers get in place of an answer that was blocked; throws what was not thrown by a guard. */
  blocked(thrown: unknown): AgenticMessage {
    if (!(thrown instanceof BlockedAnswer)) throw thrown;
    const answer = block(this.#turn, { guard: thrown.guard, on: "output" }, thrown.verdict);
    if (this.#isRead) this.#turn.restartReason = "guard";
    return this.#isRead ? { ...answer, restart: true } : answer;
  }

  async #takeAny(chunk: AgenticMessage): Promise<AgenticMessage | undefined> {
    if (chunk.restart === true) {
      this.#text = undefined;
      this.#held = [];
    }
    const released: ContentBlock[] = [];
    for (const given of chunk.contentBlocks) released.push(...(await this.#takeBlock(given)));
    if (released.length > 0) this.#isRead = true;
    const { role, contentBlocks, ...others } = chunk;
    for (const _ in others) return { ...chunk, contentBlocks: released };
    return released.length === 0 ? undefined : { ...chunk, contentBlocks: released };
  }

  async #takeBlock(given: ContentBlock): Promise<ContentBlock[]> {
    const index = given.streamingMeta?.index;
    if (given.type === "reasoning") return index === undefined ? [...(await this.#endText()), given] : [given];
    const isText = given.type === "assistant_gen_text";
    if (this.#isWhole && (isText || given.type === "function_tool_call")) {
      this.#held.push(given);
      return [];
    }
    if (isText) return this.#takeText(given, index);
    const before = await this.#endText();
    if (given.type === "function_tool_call" && this.#judgesCalls) {
      this.#held.push(given);
      return before;
    }
    return [...before, given];
  }

  async #takeText(given: AssistantGenText, index: number | undefined): Promise<ContentBlock[]> {
    if (this.#guards.length === 0) return [given];
    this.#text ??= { pieces: [], stages: this.#stages() };
    const { pieces, stages } = this.#text;
    const { length } = given.text;
    const last = pieces.at(-1);
    if (last === undefined || index === undefined || last.index !== index)
      pieces.push({ block: given, index, left: length, text: "" });
    else last.left += length;
    const released = placed(pieces, await passed(stages, given.text, false), false);
    if (index === undefined || !saysMore(given)) return released;
    return [{ ...given, text: "" }, ...released];
  }

  #stages(): readonly JudgedText[] {
    const run = this.#turn.run(this.#ctx);
    return this.#guards.map((guard) => new JudgedText(guard, this.#ctx, run));
  }

  async #endText(): Promise<ContentBlock[]> {
    const open = this.#text;
    this.#text = undefined;
    return open === undefined ? [] : placed(open.pieces, await passed(open.stages, "", true), true);
  }

  /** What was held back is whole now. */
  async #endHeld(): Promise<ContentBlock[]> {
    if (this.#held.length === 0) return [];
    const { contentBlocks } = withCallIds({ role: "assistant", contentBlocks: wholeBlocks(this.#held) });
    this.#held = [];
    // of an answer that led nowhere
    this.#turn.state.denied = undefined;
    const judged: ContentBlock[] = [];
    for (const one of contentBlocks) {
      if (one.type === "assistant_gen_text")
        judged.push({ ...one, text: await passed(this.#stages(), one.text, true) });
      else if (one.type !== "function_tool_call") judged.push(one);
      else if (this.#isOutput(one))
        judged.push({ ...one, arguments: await passed(this.#stages(), one.arguments, true) });
      else judged.push(await this.#judgedCall(one));
    }
    return judged;
  }

  /** Whether the model gives its structured answer by the call. */
  #isOutput({ name }: FunctionToolCall): boolean {
    return this.#isWhole && name.startsWith(outputToolName) && this.#table.entries.get(name) === undefined;
  }

  async #judgedCall(given: FunctionToolCall): Promise<FunctionToolCall> {
    const { state, guards } = this.#turn;
    let call = given;
    for (const guard of guards) {
      const { toolCall, name } = guard;
      if (toolCall === undefined) continue;
      const judging = call;
      const verdict = await ask(guard, this.#ctx, () => toolCall.call(guard, judging, this.#turn.run(this.#ctx)));
      if (verdict?.block !== undefined) {
        state.denied = { ...state.denied, [call.callId]: name };
        this.#turn.emit({ type: "blocked", guard: name, on: "toolCall" });
        break;
      }
      if (verdict !== undefined) call = { ...call, arguments: verdict.replace };
    }
    return call;
  }
}

/** Says that a chunk releases nothing. */
const nothing: AgenticMessage = { role: "assistant", contentBlocks: [] };

/** Reads an answer to its end; `tell` gets what is released of it, and is awaited where it wants that. */
async function readJudged(judge: JudgedAnswer, given: ChunkSource<AgenticMessage>, tell: Tell): Promise<void> {
  const told = (released: AgenticMessage | undefined): Promise<void> | undefined =>
    released === undefined || released === nothing ? undefined : tell(released);
  try {
    await readAll(given, (chunk) => {
      const released = judge.take(chunk);
      return released instanceof Promise ? released.then(told) : told(released);
    });
    await told(await judge.end());
  } catch (thrown) {
    await tell(judge.blocked(thrown));
  }
}

/** Whether a chunk is one block, and nothing else. */
function isPlain({ contentBlocks, id, responseMeta, extra, restart }: AgenticMessage): boolean {
  return contentBlocks.length === 1 && (id ?? responseMeta ?? extra ?? restart) === undefined;
}

/** The blocks that pieces make. Each keeps its index. */
function wholeBlocks(pieces: readonly ContentBlock[]): ContentBlock[] {
  const parts = new Map<number | ContentBlock, ContentBlock[]>();
  for (const piece of pieces) {
    const key = piece.streamingMeta?.index ?? piece;
    parts.set(key, [...(parts.get(key) ?? []), piece]);
  }
  return [...parts.values()].flatMap((blocks) => {
    const { contentBlocks } = concatMessages(blocks.map((one) => ({ role: "assistant", contentBlocks: [one] })));
    const streamingMeta = blocks[0]?.streamingMeta;
    return streamingMeta === undefined ? contentBlocks : contentBlocks.map((one) => ({ ...one, streamingMeta }));
  });
}

/** Puts released text into the blocks that it comes from. The last one takes what is left. */
function placed(pieces: TextPiece[], released: string, done: boolean): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let text = released;
  for (let piece = pieces[0]; piece !== undefined; piece = pieces[0]) {
    const isLast = pieces.length === 1;
    const part = isLast ? text : text.slice(0, Math.max(0, piece.left));
    text = text.slice(part.length);
    piece.left -= part.length;
    piece.text += part;
    const isOver = isLast ? done : piece.left <= 0 || done;
    const { block, index } = piece;
    if (index === undefined ? isOver : piece.text !== "") {
      blocks.push(index === undefined ? { ...block, text: piece.text } : bare(block, piece.text));
      piece.text = "";
    }
    if (!isOver) break;
    pieces.shift();
  }
  return blocks;
}

/** What else a piece of a block says is told with it, once. */
function bare({ type, streamingMeta }: AssistantGenText, text: string): AssistantGenText {
  return streamingMeta === undefined ? { type, text } : { type, text, streamingMeta };
}

function saysMore(block: AssistantGenText): boolean {
  for (const field in block) {
    if (field === "type" || field === "text" || field === "streamingMeta") continue;
    if (block[field as keyof AssistantGenText] !== undefined) return true;
  }
  return false;
}

/** A text through all guards, each of which gets what the one before it releases. */
async function passed(stages: readonly JudgedText[], given: string, done: boolean): Promise<string> {
  let text = given;
  for (const stage of stages) {
    text = await stage.take(text, done);
    if (stage.blocked !== undefined) throw new BlockedAnswer(stage.name, stage.blocked);
  }
  return text;
}

class BlockedAnswer extends Error {
  readonly guard: string;
  readonly verdict: Blocked;

  constructor(guard: string, verdict: Blocked) {
    super();
    this.guard = guard;
    this.verdict = verdict;
  }
}
