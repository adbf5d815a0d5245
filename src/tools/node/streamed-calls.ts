import type { Context } from "../../run/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import { callHook, type HookContext, hookCallOf, type InputDelta } from "../define/tool-hooks.js";
import { reportEvent } from "../define/tool-stages.js";
import { callsIn, tableOf, toolsNodeOptionsOf } from "./call-batch.js";
import { callIdsOf } from "./call-ids.js";
import type { ToolKit, ToolTable } from "./tool-table.js";

/**
 * Reads a streaming message to its end and calls the tools' input hooks meanwhile. After an interrupt, the hooks are not called
 * again.
 */
export async function readStreamedCalls(
  stream: StreamSource<AgenticMessage>,
  kit: ToolKit,
  nodeContext: Context,
): Promise<AgenticMessage> {
  const reader = StreamReader.from(stream);
  if (nodeContext.resume.wasInterrupted) return reader.concat();
  const options = toolsNodeOptionsOf(nodeContext.options);
  const calls = new StreamedCalls(tableOf(kit, options), options.messages ?? concatMessages, nodeContext);
  const message = await reader.map((chunk) => calls.take(chunk)).concat();
  calls.finish(message);
  return message;
}

/** A call that has arrived in part. */
interface StreamedCall {
  name: string;
  callId: string;
  /** The argument of its hooks; set once `onInputStart` is called. */
  told: HookContext | undefined;
  /** Pieces of the arguments for which `onInputDelta` has not been called yet. */
  held: string[];
}

/** The calls of one message while it streams in. Calls the input hooks of their tools. */
export class StreamedCalls {
  private readonly table: ToolTable;
  private readonly messages: readonly AgenticMessage[] | typeof concatMessages;
  private readonly node: Context;
  /** The text received so far, where the hooks get nothing else. */
  private readonly chunks: AgenticMessage[] = [];
  /** Calls by the index of their block. */
  private readonly indexed = new Map<number, StreamedCall>();
  private readonly whole: StreamedCall[] = [];
  private readonly ids = new Set<string>();

  /** `messages`: those that hooks are given, or what joins the chunks of the one that streams in. */
  constructor(table: ToolTable, messages: readonly AgenticMessage[] | typeof concatMessages, node: Context) {
    this.table = table;
    this.messages = messages;
    this.node = node;
  }

  /** Takes a chunk and returns it. Invalid chunks are ignored here: joining the message reports them. */
  take(chunk: AgenticMessage): AgenticMessage {
    if (!Array.isArray(chunk?.contentBlocks)) return chunk;
    if (typeof this.messages === "function") this.chunks.push(chunk);
    for (const block of chunk.contentBlocks) {
      if (block?.type === "function_tool_call") this.takeBlock(block);
    }
    return chunk;
  }

  /** Starts calls whose id was missing or repeated: only now the id that their result will have is known. */
  finish(message: AgenticMessage): void {
    const blocks = callsIn(message);
    const ids = callIdsOf(blocks);
    const calls = [...this.whole, ...[...this.indexed].sort(([left], [right]) => left - right).map(([, call]) => call)];
    for (const [index, call] of calls.entries()) {
      const callId = ids[index];
      if (call.told === undefined && callId !== undefined) this.start(call, callId);
      this.tellHeld(call);
    }
  }

  private takeBlock({ name, callId, arguments: text, streamingMeta }: FunctionToolCall): void {
    const call = this.callAt(streamingMeta?.index);
    call.name ||= name;
    call.callId ||= callId;
    if (text) call.held.push(text);
    if (call.told === undefined && call.name && call.callId && !this.ids.has(call.callId)) {
      this.start(call, call.callId);
    }
    this.tellHeld(call);
  }

  private callAt(index: number | undefined): StreamedCall {
    const known = index === undefined ? undefined : this.indexed.get(index);
    if (known !== undefined) return known;
    const call: StreamedCall = { name: "", callId: "", told: undefined, held: [] };
    if (index === undefined) this.whole.push(call);
    else this.indexed.set(index, call);
    return call;
  }

  private start(call: StreamedCall, callId: string): void {
    this.ids.add(callId);
    const { node, chunks, messages } = this;
    call.told = {
      callId,
      toolName: this.table.entries.get(call.name)?.name ?? call.name,
      get messages() {
        return typeof messages === "function" ? [messages(chunks)] : messages;
      },
      get abortSignal() {
        return node.signal;
      },
      report: (event) => reportEvent(node.span, event),
    };
    callHook(this.hooksOf(call), "onInputStart", hookCallOf(call.told), call.told);
  }

  private tellHeld({ name, told, held }: StreamedCall): void {
    if (told === undefined) return;
    for (const inputTextDelta of held.splice(0)) {
      const delta: InputDelta = Object.assign(hookCallOf(told), { inputTextDelta });
      callHook(this.hooksOf({ name }), "onInputDelta", delta, told);
    }
  }

  private hooksOf({ name }: Pick<StreamedCall, "name">) {
    return this.table.entries.get(name)?.stages.hooks;
  }
}
