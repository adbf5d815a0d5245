import type { NodeContext } from "../../components/context.js";
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

/** Judges the answers of a turn. */
export interface AnswerJudge {
  /** The chunks that readers get. `isReplayed`: of chunks that they have had before. */
  stream(given: ChunkSource<AgenticMessage>): ChunkSource<AgenticMessage>;
  whole(message: AgenticMessage): Promise<AgenticMessage>;
}

/** `undefined` if no guard looks at answers. */
export function answerJudge(turn: OngoingTurn, ctx: NodeContext, table: ToolTable): AnswerJudge | undefined {
  if (!turn.guards.some(({ output, toolCall }) => (output ?? toolCall) !== undefined)) return undefined;
  return {
    stream: (given) => StreamReader.from(new JudgedAnswer(turn, ctx, table).chunks(given)).takeSource(),
    whole: async (message) => {
      const chunks: AgenticMessage[] = [];
      for await (const chunk of new JudgedAnswer(turn, ctx, table).chunks(StreamReader.from([message]).takeSource())) {
        chunks.push(chunk);
      }
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

  async *chunks(given: ChunkSource<AgenticMessage>): AsyncGenerator<AgenticMessage, void> {
    try {
      for (;;) {
        const { done, value } = await given.next();
        if (done === true) break;
        const chunk = await this.#take(value);
        if (chunk !== undefined) yield chunk;
      }
      const last = [...(await this.#endText()), ...(await this.#endHeld())];
      if (last.length > 0) yield { role: "assistant", contentBlocks: last };
    } catch (thrown) {
      given.cancel(thrown);
      if (!(thrown instanceof BlockedAnswer)) throw thrown;
      const answer = block(this.#turn, { guard: thrown.guard, on: "output" }, thrown.verdict);
      if (this.#isRead) this.#turn.restartReason = "guard";
      yield this.#isRead ? { ...answer, restart: true } : answer;
    }
  }

  async #take(chunk: AgenticMessage): Promise<AgenticMessage | undefined> {
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
    const run = () => this.#turn.run(this.#ctx);
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

function saysMore({ type, text, streamingMeta, ...others }: AssistantGenText): boolean {
  return Object.values(others).some((one) => one !== undefined);
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
