import { type Fields, isFields } from "../is.js";
import { encodeJson } from "../schema/encode-json.js";
import { type AgenticMessage, areMessages, isAgenticMessage } from "../schema/message/agentic-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { Attributes } from "./api.js";
import { attempt } from "./attempt.js";
import type { Redact } from "./otel-options.js";

/** Converts content to attributes: none, all, or what the `redact` function returns. */
export class Content {
  readonly #redact: Redact | undefined;

  constructor(option: boolean | Redact) {
    this.#redact = typeof option === "function" ? option : option ? (value) => value : undefined;
  }

  get isWanted(): boolean {
    return this.#redact !== undefined;
  }

  /** A text that may quote content, such as the message of an error, if content is recorded and the user does not redact it. */
  text(text: string, attribute: string): string | undefined {
    const redact = this.#redact;
    return redact === undefined ? undefined : attempt(() => textOf(redact(text, attribute)));
  }

  /** The attributes for these values, without those that the user redacts. Empty if content is not recorded. */
  attributes(values: Fields): Attributes {
    const redact = this.#redact;
    if (redact === undefined) return {};
    const texts = Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([attribute, value]) => [attribute, attempt(() => textOf(redact(value, attribute)))] as const);
    return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(encodeJson(value));
}

/** The input of a model or agent, in the form of the semantic conventions. */
export function inputContent(messages: unknown): Fields {
  if (!areMessages(messages)) return {};
  const system = messages.filter(({ role }) => role === "system").flatMap(partsOf);
  const others = messages.filter(({ role }) => role !== "system");
  return {
    "gen_ai.system_instructions": system.length === 0 ? undefined : system,
    "gen_ai.input.messages": others.map((message) => ({ role: roleOf(message), parts: partsOf(message) })),
  };
}

/** The answer of a model or agent, in the form of the semantic conventions. */
export function outputContent(message: unknown): Fields {
  if (!isAgenticMessage(message)) return {};
  const finish_reason = message.responseMeta?.finishReason;
  return {
    "gen_ai.output.messages": [withoutUndefined({ role: message.role, parts: partsOf(message), finish_reason })],
  };
}

/** The tools that were passed to a model. */
export function toolDefinitions(tools: unknown): Fields {
  if (!Array.isArray(tools) || tools.length === 0) return {};
  const definitions = tools.filter(isFields).map((tool) => {
    const parameters = typeof tool.toJsonSchema === "function" ? tool.toJsonSchema() : undefined;
    return withoutUndefined({ type: "function", name: tool.name, description: tool.description, parameters });
  });
  return { "gen_ai.tool.definitions": definitions };
}

function roleOf({ role, contentBlocks }: AgenticMessage): string {
  const isResult = contentBlocks.length > 0 && contentBlocks.every(({ type }) => type === "function_tool_result");
  return isResult ? "tool" : role;
}

function partsOf({ contentBlocks }: AgenticMessage): Fields[] {
  return contentBlocks.map(partOf);
}

function partOf(block: ContentBlock): Fields {
  switch (block.type) {
    case "user_input_text":
    case "assistant_gen_text":
      return { type: "text", content: block.text };
    case "reasoning":
      return { type: "reasoning", content: block.text };
    case "function_tool_call":
      return { type: "tool_call", id: block.callId, name: block.name, arguments: parsed(block.arguments) };
    case "function_tool_result":
      return { type: "tool_call_response", id: block.callId, response: block.result };
    case "mcp_tool_call":
      return { type: "tool_call", id: block.callId, name: block.name, arguments: parsed(block.arguments) };
    case "mcp_tool_result":
      return { type: "tool_call_response", id: block.callId, response: block.content };
    case "server_tool_call":
      return withoutUndefined({
        type: "tool_call",
        id: block.callId,
        name: block.name,
        arguments: block.arguments,
      });
    case "server_tool_result":
      return withoutUndefined({ type: "tool_call_response", id: block.callId, response: block.content });
    default:
      return mediaPart(block);
  }
}

/** Embedded media is described but not sent, because it may be megabytes. */
function mediaPart(block: ContentBlock): Fields {
  const modality = /_(image|audio|video|file)$/.exec(block.type)?.[1];
  if (modality === undefined) return { type: block.type };
  const { url, mimeType } = block as { readonly url?: string; readonly mimeType?: string };
  return withoutUndefined({ type: url === undefined ? "blob" : "uri", modality, mime_type: mimeType, uri: url });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
