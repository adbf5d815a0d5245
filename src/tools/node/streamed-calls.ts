import type { Context } from "../../run/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import { callHook, type HookPlace, type InputDelta, type ToolHookCall } from "../define/tool-hooks.js";
import { reportEvent } from "../define/tool-stages.js";
import { callsIn, tableOf, toolsNodeOptionsOf } from "./call-batch.js";
import { callIdsOf } from "./call-ids.js";
import type { ToolKit, ToolTable } from "./tool-table.js";

/**
 * Reads a message that streams in to its end, and calls the input hooks of the tools on the way. After an interrupt, hooks
 * that were called before are not called again.
 */
export async function readStreamedCalls(
  stream: StreamSource<AgenticMessage>,
  kit: ToolKit,
  nodeContext: Context,
): Promise<AgenticMessage> {
  const reader = StreamReader.from(stream);
  if (nodeContext.resume.wasInterrupted) return reader.concat();
  const options = toolsNodeOptionsOf(nodeContext);
  const calls = new StreamedCalls(tableOf(kit, options), options.messages, nodeContext);
  const message = await reader.map((chunk) => calls.take(chunk)).concat();
  calls.finish(message);
  return message;
}

/** A call of which some pieces have come. */
interface StreamedCall {
  name: string;
  callId: string;
  /** Once `onInputStart` was called: what its hooks get. */
  told: HookPlace | undefined;
  /** Pieces of the arguments that `onInputDelta` has not been called with. */
  held: string[];
}

/** The calls of one message while it streams in: their tools are told how they come. */
export class StreamedCalls {
  private readonly table: ToolTable;
  private readonly given: readonly AgenticMessage[] | undefined;
  private readonly node: Context;
  private readonly chunks: AgenticMessage[] = [];
  /** By the index of their block. */
  private readonly indexed = new Map<number, StreamedCall>();
  private readonly whole: StreamedCall[] = [];
  private readonly ids = new Set<string>();

  constructor(table: ToolTable, given: readonly AgenticMessage[] | undefined, node: Context) {
    this.table = table;
    this.given = given;
    this.node = node;
  }

  /** Gives the chunk back. What is wrong with it is found when the message is joined. */
  take(chunk: AgenticMessage): AgenticMessage {
    if (!Array.isArray(chunk?.contentBlocks)) return chunk;
    this.chunks.push(chunk);
    for (const block of chunk.contentBlocks) {
      if (block?.type === "function_tool_call") this.takeBlock(block);
    }
    return chunk;
  }

  /** Calls whose id was missing, or was there before, get the one that their result has; only now it is known. */
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
    const { node, chunks, given } = this;
    call.told = {
      callId,
      toolName: this.table.entries.get(call.name)?.name ?? call.name,
      get messages() {
        return given ?? [concatMessages(chunks)];
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

/** `messages` is joined when a hook reads it: joining costs more with each piece. */
function hookCallOf(told: HookPlace): ToolHookCall {
  return {
    toolCallId: told.callId,
    toolName: told.toolName,
    get messages() {
      return told.messages;
    },
    get abortSignal() {
      return told.abortSignal;
    },
  };
}
