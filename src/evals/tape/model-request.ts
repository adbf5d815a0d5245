import type { ModelOptions } from "../../components/model.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import { CallNumbers, type CanonicalMessage, canonicalMessage, withNumbers } from "./canonical-message.js";
import { canonicalSchema } from "./canonical-schema.js";
import { type Json, sha256, toJson } from "./plain-json.js";
import type { TapeText } from "./tape-text.js";

/** So many of the last messages are in a request as they are; of earlier ones, only a hash. */
const shownMessages = 8;

/** What a request of a model is made of, and the list of its tools, which has a file of its own. */
export interface CanonicalRequest {
  readonly request: { readonly [field: string]: Json };
  readonly tools: readonly Json[] | undefined;
}

interface Known extends CanonicalMessage {
  /** A hash of everything but the call ids. */
  readonly digest: string;
}

/** Brings the requests of models into the form that a tape keeps. A message is read once, as long as somebody holds it. */
export class ModelRequests {
  readonly #text: TapeText;
  readonly #known = new WeakMap<AgenticMessage, Known>();

  constructor(text: TapeText) {
    this.#text = text;
  }

  read(model: string, messages: readonly AgenticMessage[], options: ModelOptions): CanonicalRequest {
    const { tools, headers: _headers, responseFormat, ...others } = options;
    const list = tools === undefined || tools.length === 0 ? undefined : this.#toolsOf(tools);
    const hash = list && sha256(JSON.stringify(this.#text.ignored([...list]))).slice(0, 16);
    const format = formatOf(responseFormat);
    const given = toJson({ ...others, ...(format !== undefined && { responseFormat: format }) }, this.#text.redact);
    const request = {
      kind: "model",
      model: this.#text.redact(model),
      ...this.#messagesOf(messages),
      ...(given !== undefined && Object.keys(given as object).length > 0 && { options: given }),
      ...(hash !== undefined && { tools: hash }),
    };
    return { request, tools: list };
  }

  #messagesOf(messages: readonly AgenticMessage[]): { readonly [field: string]: Json } {
    const numbers = new CallNumbers();
    const talk = messages.filter(({ role }) => role !== "system").length;
    const shown: Json[] = [];
    let hidden = "";
    let position = 0;
    let count = 0;
    for (const message of messages) {
      const known = this.#knownOf(message);
      const ids = known.ids.map((id) => numbers.of(id));
      const isShown = message.role === "system" || position >= talk - shownMessages;
      if (message.role !== "system") position += 1;
      if (isShown) {
        shown.push(withNumbers(known, numbers));
        continue;
      }
      count += 1;
      hidden += `${known.digest}:${ids.join()};`;
    }
    return { messages: shown, ...(count > 0 && { earlier: { count, sha256: sha256(hidden) } }) };
  }

  #knownOf(message: AgenticMessage): Known {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const canonical = canonicalMessage(message, this.#text.redact);
    const names = new CallNumbers();
    const digest = sha256(JSON.stringify(this.#text.ignored(withNumbers(canonical, names))));
    const made = { ...canonical, digest };
    this.#known.set(message, made);
    return made;
  }

  #toolsOf(tools: readonly ToolInfo[]): Json[] {
    const plain = tools.map((tool): Json => {
      const { name, description, provider } = tool;
      const parameters = canonicalSchema(tool.toJsonSchema());
      return toJson({ name, description, provider, parameters }, this.#text.redact) ?? {};
    });
    return plain.sort((one, other) => order(nameOf(one), nameOf(other)));
  }
}

function formatOf(format: ModelOptions["responseFormat"]): unknown {
  if (format === undefined || format.type !== "json" || format.schema === undefined) return format;
  return { ...format, schema: canonicalSchema(format.schema) };
}

function nameOf(tool: Json): string {
  return String((tool as { readonly name?: Json }).name);
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
