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

/** A text block that is under way. */
interface OpenText {
  readonly block: AssistantGenText;
  readonly index: number | undefined;
  readonly stages: readonly JudgedText[];
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
    if (given.type === "reasoning") return [given];
    const isText = given.type === "assistant_gen_text";
    if (this.#isWhole && (isText || given.type === "function_tool_call")) {
      this.#held.push(given);
      return [];
    }
    const index = given.streamingMeta?.index;
    const isSame = isText && this.#text !== undefined && index !== undefined && this.#text.index === index;
    const before = isSame ? [] : await this.#endText();
    if (isText) return [...before, ...(await this.#takeText(given, index))];
    if (given.type === "function_tool_call" && this.#judgesCalls) {
      this.#held.push(given);
      return before;
    }
    return [...before, given];
  }

  async #takeText(given: AssistantGenText, index: number | undefined): Promise<ContentBlock[]> {
    if (this.#guards.length === 0) return [given];
    const open = this.#text ?? { block: given, index, stages: this.#stages() };
    this.#text = { ...open, block: given };
    // a block without an index is all there is of it
    if (index === undefined) return [{ ...given, text: (await this.#endedText(given.text)) ?? "" }];
    const text = await passed(open.stages, given.text, false);
    return text === "" ? [] : [{ ...given, text }];
  }

  #stages(): readonly JudgedText[] {
    const run = () => this.#turn.run(this.#ctx);
    return this.#guards.map((guard) => new JudgedText(guard, this.#ctx, run));
  }

  async #endText(): Promise<ContentBlock[]> {
    const open = this.#text;
    const text = await this.#endedText("");
    return open === undefined || text === undefined || text === "" ? [] : [{ ...open.block, text }];
  }

  async #endedText(text: string): Promise<string | undefined> {
    const open = this.#text;
    this.#text = undefined;
    return open && passed(open.stages, text, true);
  }

  /** What was held back is whole now. */
  async #endHeld(): Promise<ContentBlock[]> {
    if (this.#held.length === 0) return [];
    const { contentBlocks } = withCallIds({ role: "assistant", contentBlocks: wholeBlocks(this.#held) });
    this.#held = [];
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
