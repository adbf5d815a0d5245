import type { NodeContext } from "../../components/context.js";
import { readAll } from "../../models/passing-source.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import type { AssistantGenText, ContentBlock, FunctionToolCall } from "../../schema/message/content-block.js";
import type { ChunkSource } from "../../schema/stream/source.js";
import { withCallIds } from "../../tools/node/call-ids.js";
import type { ToolTable } from "../../tools/node/tool-table.js";
import { outputToolName } from "../agent-parts.js";
import { GatheredAnswer } from "../model-request.js";
import type { OngoingTurn } from "../turn.js";
import type { GuardOptions } from "./guard.js";
import { ask, block } from "./judge.js";
import { BlockedAnswer, isPlain, nothing, OpenText } from "./open-text.js";

type Tell = (chunk: AgenticMessage) => Promise<void> | undefined;

/** Judges the answers of a turn. */
export interface AnswerJudge {
  /** Reads an answer in pieces and passes on what may be read. `gathered` holds the whole answer at the end, if someone gathers it anyway. */
  read(given: ChunkSource<AgenticMessage>, gathered: Gathered | undefined, tell: Tell): Promise<void>;
  whole(message: AgenticMessage): Promise<AgenticMessage>;
}

interface Gathered {
  readonly message: AgenticMessage | undefined;
}

/** `undefined` if no guard looks at answers. */
export function answerJudge(turn: OngoingTurn, ctx: NodeContext, table: ToolTable): AnswerJudge | undefined {
  if (!turn.guards.some(({ output, toolCall }) => (output ?? toolCall) !== undefined)) return undefined;
  return {
    read: (given, gathered, tell) => new JudgedAnswer(turn, ctx, table).read(given, gathered, tell),
    whole: (message) => new JudgedAnswer(turn, ctx, table).whole(message),
  };
}

/** One answer on its way through the guards, in one piece or in many: the outcome is the same. */
class JudgedAnswer {
  readonly #turn: OngoingTurn;
  readonly #ctx: NodeContext;
  readonly #table: ToolTable;
  readonly #guards: readonly GuardOptions[];
  readonly #judgesCalls: boolean;
  /** Structured answers are judged whole. */
  readonly #isStructured: boolean;
  #text: OpenText | undefined;
  /** The last block that is text, and the last one of all that end a text. */
  #textIndex = -1;
  #endIndex = -1;
  /** Whether text has come to an earlier block than the last one: then all is judged when it is whole, as it is read in the end. */
  #isOutOfOrder = false;
  /** Blocks that wait for the end of the answer. */
  #held: ContentBlock[] = [];
  #isTold = false;
  /** Whether a part of it is. */
  #isRead = false;

  constructor(turn: OngoingTurn, ctx: NodeContext, table: ToolTable) {
    this.#turn = turn;
    this.#ctx = ctx;
    this.#table = table;
    this.#guards = turn.guards.filter(({ output }) => output !== undefined);
    this.#judgesCalls = turn.guards.some(({ toolCall }) => toolCall !== undefined);
    this.#isStructured = turn.root.output !== undefined;
  }

  /** Reads it to its end; `tell` gets what is released of it, and is awaited where it wants that. */
  async read(given: ChunkSource<AgenticMessage>, gathered: Gathered | undefined, tell: Tell): Promise<void> {
    const own = gathered === undefined ? new GatheredAnswer() : undefined;
    const told = (released: AgenticMessage): Promise<void> | undefined => {
      if (released === nothing) return undefined;
      this.#isTold = true;
      this.#isRead ||= released.contentBlocks.length > 0;
      return tell(released);
    };
    try {
      await readAll(given, (chunk) => {
        own?.add(chunk);
        const released = this.#take(chunk);
        return released instanceof Promise ? released.then(told) : told(released);
      });
      const whole = this.#isOutOfOrder ? (gathered?.message ?? own?.message()) : undefined;
      const last = whole === undefined ? await this.#end() : await this.#again(whole);
      await (this.#isTold ? told(last) : tell(last));
    } catch (thrown) {
      await tell(this.#blocked(thrown));
    }
  }

  async whole(message: AgenticMessage): Promise<AgenticMessage> {
    const given = message.contentBlocks.some(({ streamingMeta }) => streamingMeta !== undefined)
      ? concatMessages([message])
      : message;
    try {
      return concatMessages([await this.#take(given), await this.#end()]);
    } catch (thrown) {
      return this.#blocked(thrown);
    }
  }

  /** What readers get in place of what they have of an answer. */
  async #again(whole: AgenticMessage): Promise<AgenticMessage> {
    this.#turn.restartReason = "guard";
    const judged = await new JudgedAnswer(this.#turn, this.#ctx, this.#table).whole(whole);
    return { ...judged, restart: true };
  }

  /** What is released of a chunk; a promise where a guard makes one, or more than a piece of text comes. */
  #take(chunk: AgenticMessage): AgenticMessage | Promise<AgenticMessage> {
    if (this.#isOutOfOrder && chunk.restart !== true) return nothing;
    if (this.#guards.length === 0 && !this.#isStructured && isPlain(chunk) && isText(chunk.contentBlocks[0]))
      return chunk;
    return this.#text?.takePiece(chunk) ?? this.#takeAny(chunk);
  }

  async #takeAny(chunk: AgenticMessage): Promise<AgenticMessage> {
    if (chunk.restart === true) this.#restart();
    const released: ContentBlock[] = [];
    for (const given of chunk.contentBlocks) released.push(...(await this.#takeBlock(given)));
    if (this.#isOutOfOrder) return nothing;
    const { role, contentBlocks, ...others } = chunk;
    for (const _ in others) return { ...chunk, contentBlocks: released };
    return released.length === 0 ? nothing : { ...chunk, contentBlocks: released };
  }

  #restart(): void {
    this.#text = undefined;
    this.#textIndex = -1;
    this.#endIndex = -1;
    this.#isOutOfOrder = false;
    this.#held = [];
  }

  async #takeBlock(given: ContentBlock): Promise<ContentBlock[]> {
    if (this.#isOutOfOrder) return [];
    if (this.#isStructured && isText(given)) {
      this.#held.push(given);
      return [];
    }
    if (isText(given)) return this.#takeText(given);
    const before = await this.#endTextBefore(given);
    if (given.type === "function_tool_call" && (this.#judgesCalls || this.#isStructured)) {
      this.#held.push(given);
      return before;
    }
    return [...before, given];
  }

  async #takeText(given: AssistantGenText): Promise<ContentBlock[]> {
    if (this.#guards.length === 0) return [given];
    const { index, restart } = given.streamingMeta ?? {};
    if (index !== undefined) {
      const isLate = index < Math.max(this.#textIndex, this.#endIndex);
      if (isLate && given.text === "") return [given];
      if (isLate || restart === true) {
        this.#isOutOfOrder = true;
        this.#text = undefined;
        return [];
      }
      this.#textIndex = index;
    }
    this.#text ??= this.#openText();
    return this.#text.take(given);
  }

  #openText(): OpenText {
    return new OpenText(this.#guards, this.#ctx, this.#turn.run(this.#ctx));
  }

  /** A block that comes after text ends it. */
  async #endTextBefore({ streamingMeta }: ContentBlock): Promise<ContentBlock[]> {
    const index = streamingMeta?.index;
    if (index !== undefined && index <= this.#textIndex) return [];
    if (index !== undefined && this.#textIndex >= 0) this.#endIndex = Math.max(this.#endIndex, index);
    return this.#endText();
  }

  async #endText(): Promise<ContentBlock[]> {
    const open = this.#text;
    this.#text = undefined;
    return open === undefined ? [] : open.end();
  }

  /** What is released at the end of the answer. */
  async #end(): Promise<AgenticMessage> {
    const last = [...(await this.#endText()), ...(await this.#endHeld())];
    return last.length > 0 ? { role: "assistant", contentBlocks: last } : nothing;
  }

  /** What was held back is whole now. */
  async #endHeld(): Promise<ContentBlock[]> {
    if (this.#held.length === 0) return [];
    const { contentBlocks } = withCallIds({ role: "assistant", contentBlocks: wholeBlocks(this.#held) });
    this.#held = [];
    // of an answer that led nowhere
    this.#turn.state.denied = undefined;
    const texts = await this.#openText().whole(contentBlocks.filter(isText));
    const judged: ContentBlock[] = [];
    for (const one of contentBlocks) {
      if (isText(one)) judged.push(...texts.splice(0, 1));
      else if (one.type === "function_tool_call") judged.push(await this.#judgedCall(one));
      else judged.push(one);
    }
    return judged;
  }

  async #judgedCall(call: FunctionToolCall): Promise<FunctionToolCall> {
    if (!this.#isOutput(call)) return this.#judgedToolCall(call);
    const [output] = await this.#openText().whole([{ type: "assistant_gen_text", text: call.arguments }]);
    return { ...call, arguments: output?.text ?? "" };
  }

  /** Whether the model gives its structured answer by the call. */
  #isOutput({ name }: FunctionToolCall): boolean {
    return this.#isStructured && name.startsWith(outputToolName) && this.#table.entries.get(name) === undefined;
  }

  async #judgedToolCall(given: FunctionToolCall): Promise<FunctionToolCall> {
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

  /** What readers get in place of an answer that was blocked; throws what was not thrown by a guard. */
  #blocked(thrown: unknown): AgenticMessage {
    if (!(thrown instanceof BlockedAnswer)) throw thrown;
    const answer = block(this.#turn, { guard: thrown.guard, on: "output" }, thrown.verdict);
    if (!this.#isRead) return answer;
    this.#turn.restartReason = "guard";
    return { ...answer, restart: true };
  }
}

function isText(block: ContentBlock | undefined): block is AssistantGenText {
  return block?.type === "assistant_gen_text";
}

/** The blocks that pieces make, in order. Each keeps its index. */
function wholeBlocks(pieces: readonly ContentBlock[]): ContentBlock[] {
  const parts = new Map<number | ContentBlock, ContentBlock[]>();
  for (const piece of pieces) {
    const key = piece.streamingMeta?.index ?? piece;
    parts.set(key, [...(parts.get(key) ?? []), piece]);
  }
  const inOrder = [...parts].sort(([one], [other]) => Number(one) - Number(other) || 0);
  return inOrder.flatMap(([, blocks]) => {
    const { contentBlocks } = concatMessages(blocks.map((one) => ({ role: "assistant", contentBlocks: [one] })));
    const streamingMeta = blocks[0]?.streamingMeta;
    return streamingMeta === undefined ? contentBlocks : contentBlocks.map((one) => ({ ...one, streamingMeta }));
  });
}
