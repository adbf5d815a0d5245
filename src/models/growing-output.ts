import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { OutputSchema } from "./output-schema.js";
import { completedJson } from "./partial-json.js";

/** Parses structured output while it is still being streamed. */
export class GrowingOutput {
  readonly #schema: OutputSchema;
  #text = "";
  #last = "";
  #seen = "";
  #nextLength = 1;

  constructor(schema: OutputSchema) {
    this.#schema = schema;
  }

  /**
   * Adds a chunk, and returns the value so far if it has changed. At least 1/64 of the text must be new before it is parsed again,
   * so that long outputs do not take quadratic time.
   */
  add({ contentBlocks, restart }: AgenticMessage): { readonly value: unknown } | undefined {
    if (restart === true) this.#text = "";
    for (const block of contentBlocks) if (block.type === "assistant_gen_text") this.#text += block.text;
    const { length } = this.#text;
    if (length < this.#nextLength) return undefined;
    this.#nextLength = length + Math.ceil(length / 64);
    const json = completedJson(this.#text.replace(openFence, ""));
    if (json === undefined || json === this.#last) return undefined;
    this.#last = json;
    return this.#valueOf(json);
  }

  #valueOf(json: string): { readonly value: unknown } | undefined {
    try {
      const value = this.#schema.unwrapPartial(JSON.parse(json));
      if (value === undefined || !this.#isNew(json, value)) return undefined;
      return { value };
    } catch {
      return undefined;
    }
  }

  /** A null that has arrived may be one that is removed: then nothing has changed. */
  #isNew(json: string, value: unknown): boolean {
    const seen = json.includes("null") ? JSON.stringify(value) : json;
    if (seen === this.#seen) return false;
    this.#seen = seen;
    return true;
  }
}

const openFence = /^\s*```(?:json)?\s*\n/;
