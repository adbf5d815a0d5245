import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { hashOf, type Json, toJson } from "./plain-json.js";

/** A message in the form that requests are compared by, with the ids of its calls apart. */
export interface CanonicalMessage {
  /** The message with call ids as they are. */
  readonly json: Json;
  /** The ids of its calls and results, in order. */
  readonly ids: readonly string[];
}

/** Fields that no model reads, or that differ from call to call. */
const left: ReadonlySet<string> = new Set([
  "id",
  "extra",
  "responseMeta",
  "streamingMeta",
  "signature",
  "openaiExtension",
  "claudeExtension",
  "geminiExtension",
  "extension",
  "restart",
]);

const idFields: ReadonlySet<string> = new Set(["callId", "approvalRequestId"]);

/** Longer data is kept as its hash. */
const longestData = 256;

/** Leaves out of a message what makes no difference for its meaning. */
export function canonicalMessage(message: AgenticMessage, redact: (text: string) => string): CanonicalMessage {
  const { role, contentBlocks } = message;
  const ids: string[] = [];
  const blocks = contentBlocks.map((block) => canonicalBlock(block, redact, ids));
  return { json: { role, contentBlocks: blocks }, ids };
}

function canonicalBlock(block: object, redact: (text: string) => string, ids: string[]): Json {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(block)) {
    if (left.has(key) || value === undefined) continue;
    if (idFields.has(key) && typeof value === "string") {
      ids.push(value);
      kept[key] = value;
    } else if (key === "arguments" && typeof value === "string") kept[key] = parsed(value);
    else kept[key] = withoutData(key, value);
  }
  return toJson(kept, redact) ?? {};
}

/** Arguments as the value that they are JSON of; other text stays as it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withoutData(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutData("", item));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutData(name, inner)]));
  }
  if (typeof value !== "string" || value.length <= longestData) return value;
  return key === "base64Data" || (key === "url" && value.startsWith("data:")) ? hashOf(value) : value;
}

/** Numbers call ids by the order in which they appear. */
export class CallNumbers {
  readonly #numbers = new Map<string, number>();

  of(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return number;
  }
}

/** A message with numbers in place of its call ids. */
export function withNumbers({ json }: CanonicalMessage, numbers: CallNumbers): Json {
  const message = json as { readonly role: Json; readonly contentBlocks: readonly Readonly<Record<string, Json>>[] };
  return {
    contentBlocks: message.contentBlocks.map((block) => numbered(block, numbers)),
    role: message.role,
  };
}

function numbered(block: Readonly<Record<string, Json>>, numbers: CallNumbers): Json {
  const entries = Object.entries(block).map(([key, value]) => {
    return [key, idFields.has(key) && typeof value === "string" ? numbers.of(value) : value] as const;
  });
  return Object.fromEntries(entries);
}
