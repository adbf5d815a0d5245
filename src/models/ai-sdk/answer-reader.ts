import { type Fields, isFields, textIf } from "../../is.js";
import { toBase64 } from "../../schema/base64.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { concatMessages } from "../../schema/message/concat.js";
import type { ContentBlock } from "../../schema/message/content-block.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { streamError } from "../errors.js";
import { AnswerEnd } from "./answer-end.js";
import { callBlock, callExtra, type KnownCall, knownCall, labelOf, providerResultBlock } from "./call-blocks.js";
import { providerExtra } from "./provider-extra.js";
import { type ModelIdentity, providerModelName } from "./provider-model.js";

/** A text or reasoning block that is still open. */
interface OpenText {
  readonly kind: "text" | "reasoning";
  readonly index: number;
  /** The provider metadata that came last. */
  metadata: unknown;
  hasText: boolean;
}

/** A call whose arguments are still being streamed. */
interface OpenCall {
  readonly call: KnownCall;
  readonly index: number;
  /** The arguments so far. */
  text: string;
  metadata: unknown;
  /** Whether the pieces are JSON, and so parts of the arguments. */
  readonly isJson: boolean;
}

interface PlacedCall extends KnownCall {
  readonly index: number;
  readonly text: string;
}

/**
 * Converts the answer of a provider package to chunks of a message. Each answer needs a new reader. A block gets its index when
 * its first part arrives; provider metadata is added to its last chunk.
 */
export class AnswerReader {
  readonly #model: ModelIdentity;
  readonly #end: AnswerEnd;
  readonly #texts = { text: new Map<unknown, OpenText>(), reasoning: new Map<unknown, OpenText>() };
  readonly #openCalls = new Map<string, OpenCall>();
  /** All calls, by id. */
  readonly #calls = new Map<string, PlacedCall>();
  /** The index of each result, by call id. A provider may send a result again. */
  readonly #results = new Map<string, number>();
  readonly #warn: (warning: unknown) => void;
  #nextIndex = 0;
  #isEmpty = true;
  #structuredOutputText: string | undefined;

  constructor(model: ModelIdentity, warn: (warning: unknown) => void) {
    this.#model = model;
    this.#end = new AnswerEnd(model);
    this.#warn = warn;
  }

  /** Converts a part of a stream to blocks, one per chunk. Throws the error of an error part. */
  readPart(part: unknown): readonly ContentBlock[] {
    if (!isFields(part)) return [];
    const type = textIf(part.type) ?? "";
    if (type !== "stream-start" && type !== "finish") this.#isEmpty = false;
    return this.#blocksOf(type, part);
  }

  /** Converts a complete answer. */
  readAnswer(answer: Fields): AgenticMessage {
    const { content, response } = answer;
    const blocks: ContentBlock[] = [];
    for (const part of Array.isArray(content) ? content : []) {
      if (isFields(part)) for (const block of this.#wholeBlocks(part)) blocks.push(block);
    }
    if (isFields(response)) this.#end.addResponse(response);
    this.#tell(answer.warnings);
    this.#end.finish(answer);
    this.#end.check({ isEmpty: !hasParts(content) && !this.#end.hasResponse });
    this.#structuredOutputText = textIf(answer.structuredOutputText);
    const end = this.#lastChunk();
    if (!areWhole(blocks)) return concatMessages([...blocks.map(chunkOf), end]);
    return { ...end, contentBlocks: blocks.map(withoutPlace) };
  }

  /** Returns the remaining chunks at the end of a stream. Throws if it was cut off, empty or failed. */
  readEnd(): AgenticMessage[] {
    this.#end.check({ isEmpty: this.#isEmpty });
    const texts = kinds.flatMap((kind) => [...this.#texts[kind].keys()].flatMap((id) => this.#endText(id, kind, {})));
    const calls = [...this.#openCalls.values()].flatMap((open) => this.#endCall(open));
    return [...[...texts, ...calls].map(chunkOf), this.#lastChunk()];
  }

  #lastChunk(): AgenticMessage {
    const structuredOutputText = this.#structuredOutputText;
    const extra = structuredOutputText === undefined ? undefined : { structuredOutputText };
    const { id, responseMeta } = this.#end;
    if (id === undefined && extra === undefined) return { role: "assistant", contentBlocks: [], responseMeta };
    return withoutUndefined<AgenticMessage>({ id, role: "assistant", contentBlocks: [], responseMeta, extra });
  }

  #tell(warnings: unknown): void {
    if (Array.isArray(warnings)) for (const warning of warnings) this.#warn(warning);
  }

  /** Converts a part of a complete answer. Texts are complete; all other parts are as in a stream. */
  #wholeBlocks(part: Fields): ContentBlock[] {
    const { type, text, citations, providerMetadata } = part;
    if (type !== "text" && type !== "reasoning") return this.#blocksOf(textIf(type) ?? "", part);
    const open = this.#openText("", type, providerMetadata);
    const blocks = this.#textPiece(open, textIf(text) ?? "");
    return [...blocks, ...this.#endText("", type, { citations })];
  }

  #blocksOf(type: string, part: Fields): ContentBlock[] {
    switch (type) {
      case "text-start":
      case "reasoning-start":
        return this.#startText(part, type === "text-start" ? "text" : "reasoning");
      case "text-delta":
      case "reasoning-delta":
        return this.#textDelta(part, type === "text-delta" ? "text" : "reasoning");
      case "text-end":
        return this.#endText(part.id, "text", part);
      case "reasoning-end":
        return this.#endText(part.id, "reasoning", part);
      case "tool-input-start":
        return this.#startCall(part);
      case "tool-input-delta":
        return this.#callDelta(part);
      case "tool-input-end":
        this.#noteCallMetadata(part);
        return [];
      case "tool-call":
        return this.#wholeCall(part);
      case "tool-result":
        return this.#result(part);
      case "tool-approval-request":
        return this.#approval(part);
      case "file":
        return [this.#placed(this.#file(part))];
      case "custom":
        return isMessageStart(part) ? [] : [this.#placed(this.#extension(type, part))];
      case "response-metadata":
        this.#end.addResponse(part);
        return [];
      case "finish":
        this.#end.finish(part);
        return [];
      case "error":
        throw streamError(providerModelName(this.#model), part.error);
      case "stream-start":
        this.#tell(part.warnings);
        return [];
      case "ping":
      case "raw":
        return [];
      default:
        return [this.#placed(this.#extension(type, part))];
    }
  }

  // texts

  /** Opens a text. If one with the same id is open, that one ends. */
  #startText({ id, providerMetadata }: Fields, kind: OpenText["kind"]): ContentBlock[] {
    const ended = this.#endText(id, kind, {});
    this.#openText(id, kind, providerMetadata);
    return ended;
  }

  #openText(id: unknown, kind: OpenText["kind"], metadata: unknown): OpenText {
    const open: OpenText = { kind, index: this.#takeIndex(), metadata, hasText: false };
    this.#texts[kind].set(id, open);
    return open;
  }

  #textDelta({ id, delta, providerMetadata }: Fields, kind: OpenText["kind"]): ContentBlock[] {
    const open = this.#texts[kind].get(id) ?? this.#openText(id, kind, undefined);
    open.metadata = providerMetadata ?? open.metadata;
    return this.#textPiece(open, textIf(delta) ?? "");
  }

  #textPiece(open: OpenText, text: string): ContentBlock[] {
    if (text === "") return [];
    open.hasText = true;
    const streamingMeta = { index: open.index };
    return open.kind === "text"
      ? [{ type: "assistant_gen_text", text, streamingMeta }]
      : [{ type: "reasoning", text, streamingMeta }];
  }

  #endText(id: unknown, kind: OpenText["kind"], { providerMetadata, citations }: Fields): ContentBlock[] {
    const open = this.#texts[kind].get(id);
    if (open === undefined) return [];
    this.#texts[kind].delete(id);
    const metadata = providerMetadata ?? open.metadata;
    const streamingMeta = { index: open.index };
    const { provider } = this.#model;
    if (open.kind === "reasoning") {
      if (!open.hasText && metadata === undefined) return [];
      const extra = providerExtra(provider, metadata);
      const signature = signatureIn(metadata);
      return [withoutUndefined<ContentBlock>({ type: "reasoning", text: "", signature, extra, streamingMeta })];
    }
    const extra = metadata === undefined ? undefined : providerExtra(provider, metadata);
    const extension =
      Array.isArray(citations) && citations.length > 0 ? { citations: encodeJson(citations) } : undefined;
    if (extra === undefined && extension === undefined) return [];
    return [withoutUndefined<ContentBlock>({ type: "assistant_gen_text", text: "", extension, extra, streamingMeta })];
  }

  // calls

  #startCall(part: Fields): ContentBlock[] {
    const call = knownCall(part);
    const before = this.#openCalls.get(call.callId);
    const ended = before === undefined ? [] : this.#endCall(before);
    const { providerMetadata: metadata, inputEncoding } = part;
    const open: OpenCall = { call, index: this.#takeIndex(), text: "", metadata, isJson: inputEncoding !== "text" };
    this.#openCalls.set(call.callId, open);
    this.#note(call, open.index, "");
    return [...ended, at(open.index, callBlock(call, ""))];
  }

  #callDelta(part: Fields): ContentBlock[] {
    const open = this.#openCalls.get(String(part.id));
    if (open === undefined) return [];
    this.#noteCallMetadata(part);
    const delta = textIf(part.delta) ?? "";
    if (!open.isJson || delta === "") return [];
    open.text += delta;
    return [at(open.index, callBlock(open.call, delta))];
  }

  #note({ kind, callId, name, serverLabel }: KnownCall, index: number, text: string): void {
    this.#calls.set(callId, { kind, callId, name, serverLabel, index, text });
  }

  #noteCallMetadata({ id, providerMetadata }: Fields): void {
    const open = this.#openCalls.get(String(id));
    if (open !== undefined && providerMetadata !== undefined) open.metadata = providerMetadata;
  }

  /** Completes a call. If it does not continue the streamed pieces, the block is restarted. */
  #wholeCall(part: Fields): ContentBlock[] {
    const call = knownCall(part);
    const { provider } = this.#model;
    const text = typeof part.input === "string" ? part.input : (JSON.stringify(encodeJson(part.input)) ?? "");
    const open = this.#openCalls.get(call.callId);
    const extra = callExtra(call.kind, provider, part.providerMetadata ?? open?.metadata);
    const index = open?.index ?? this.#takeIndex();
    this.#openCalls.delete(call.callId);
    this.#note(call, index, text);
    if (open === undefined) return [at(index, callBlock(call, text, extra))];
    const goesOn = open.call.kind === call.kind && open.call.name === call.name && text.startsWith(open.text);
    if (!goesOn) return [at(index, callBlock(call, text, extra), true)];
    const rest = text.slice(open.text.length);
    return rest === "" && extra === undefined ? [] : [at(index, callBlock(call, rest, extra))];
  }

  /** Ends a call that was never completed, and keeps its arguments as they are. */
  #endCall({ call, index, metadata }: OpenCall): ContentBlock[] {
    this.#openCalls.delete(call.callId);
    const extra = callExtra(call.kind, this.#model.provider, metadata);
    return extra === undefined ? [] : [at(index, callBlock(call, "", extra))];
  }

  /** Converts a result; one that is sent again replaces the previous one. Also fills in the MCP server of the call if it was unknown. */
  #result(part: Fields): ContentBlock[] {
    const callId = textIf(part.toolCallId) ?? "";
    const call = this.#calls.get(callId);
    const before = this.#results.get(callId);
    const index = before ?? this.#takeIndex();
    this.#results.set(callId, index);
    const block = at(index, providerResultBlock(part, call, this.#model.provider), before !== undefined);
    if (call === undefined || call.kind !== "mcp_tool_call" || call.serverLabel !== "" || labelOf(part) === "")
      return [block];
    const named = { ...call, serverLabel: labelOf(part) };
    this.#calls.set(callId, named);
    return [at(call.index, callBlock(named, "")), block];
  }

  #approval(part: Fields): ContentBlock[] {
    const { approvalId, toolCallId, providerMetadata } = part;
    const callId = textIf(toolCallId) ?? "";
    const call = this.#calls.get(callId);
    return [
      this.#placed({
        type: "mcp_tool_approval_request",
        id: textIf(approvalId) ?? "",
        name: call?.name ?? "",
        arguments: call?.text ?? "",
        serverLabel: labelOf(part) || (call?.serverLabel ?? ""),
        extra: providerExtra(this.#model.provider, providerMetadata, { callId }),
      }),
    ];
  }

  // the rest

  #file(part: Fields): ContentBlock {
    const { mediaType, data, providerMetadata } = part;
    const mimeType = textIf(mediaType);
    const type = mediaKinds.find((kind) => mimeType?.startsWith(`${kind}/`));
    const place = placeOf(data);
    if (type === undefined || place === undefined) return this.#extension("file", part);
    const extra = providerMetadata === undefined ? undefined : providerExtra(this.#model.provider, providerMetadata);
    return withoutUndefined<ContentBlock>({ type: `assistant_gen_${type}`, ...place, mimeType, extra });
  }

  #extension(kind: string, part: Fields): ContentBlock {
    return { type: "extension", provider: this.#model.provider, kind, data: encodeJson(part) };
  }

  #placed(block: ContentBlock): ContentBlock {
    return at(this.#takeIndex(), block);
  }

  #takeIndex(): number {
    this.#nextIndex += 1;
    return this.#nextIndex - 1;
  }
}

const kinds = ["text", "reasoning"] as const;
const mediaKinds = ["image", "audio", "video"] as const;

/** Sets the index of a new block. */
function at(index: number, block: ContentBlock, restart = false): ContentBlock {
  return Object.assign(block, { streamingMeta: restart ? { index, restart } : { index } });
}

/** Whether each block is a single chunk, in order. */
function areWhole(blocks: readonly ContentBlock[]): boolean {
  return blocks.every(({ streamingMeta }, index) => streamingMeta?.index === index && streamingMeta.restart !== true);
}

function hasParts(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0;
}

function withoutPlace({ streamingMeta, ...block }: ContentBlock): ContentBlock {
  return withoutUndefined(block) as ContentBlock;
}

export function chunkOf(block: ContentBlock): AgenticMessage {
  return { role: "assistant", contentBlocks: [block] };
}

/** Whether a part only announces the answer. Its ids and usage are sent again later. */
function isMessageStart({ kind }: Fields): boolean {
  return typeof kind === "string" && kind.endsWith(".message_start");
}

/** Finds the signature of a reasoning block in the metadata, for programs that read it. The metadata itself is sent back. */
function signatureIn(metadata: unknown): string | undefined {
  if (!isFields(metadata)) return undefined;
  for (const sent of Object.values(metadata)) {
    const signature = isFields(sent) ? (sent.signature ?? sent.thoughtSignature) : undefined;
    if (typeof signature === "string") return signature;
  }
  return undefined;
}

/** Reads base64, bytes, or the tagged data of V4. */
function placeOf(data: unknown): { readonly url: string } | { readonly base64Data: string } | undefined {
  if (typeof data === "string") return { base64Data: data };
  if (data instanceof Uint8Array) return { base64Data: toBase64(data) };
  if (!isFields(data)) return undefined;
  if (data.type === "url") return { url: textIf(data.originalUrl) ?? String(data.url) };
  return data.type === "data" ? placeOf(data.data) : undefined;
}
