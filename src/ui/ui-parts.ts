import type { UiChunk } from "./ui-chunk.js";

/** A part of a message of the AI SDK. */
export type UiPart = {
  /** The kind of part, such as `text` or `tool-get_weather`. */
  readonly type: string;
} & Readonly<Record<string, unknown>>;

type OpenPart = { type: string } & Record<string, unknown>;

/** Puts the chunks of a message together, as the client of the AI SDK does. Chunks that are not kept there are ignored. */
export class MessageParts {
  readonly #parts: OpenPart[] = [];
  readonly #open = new Map<string, OpenPart>();

  get finished(): readonly UiPart[] {
    return this.#parts;
  }

  add(chunk: UiChunk): void {
    const { type } = chunk;
    switch (type) {
      case "start-step":
        this.#parts.push({ type: "step-start" });
        break;
      case "text-start":
      case "reasoning-start":
        this.#begin(chunk);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#grow(chunk);
        break;
      case "text-end":
      case "reasoning-end":
        this.#update(this.#open.get(String(chunk.id)), { state: "done" });
        break;
      case "file":
      case "source-url":
      case "source-document":
        this.#parts.push({ ...chunk });
        break;
      default:
        if (type.startsWith("tool-")) this.#addOfCall(chunk);
        else if (type.startsWith("data-")) this.#addData(chunk);
    }
  }

  #begin({ type, id }: UiChunk): void {
    const part: OpenPart =
      type === "text-start"
        ? { type: "text", text: "", state: "streaming" }
        : { type: "reasoning", id, text: "", state: "streaming" };
    this.#open.set(String(id), part);
    this.#parts.push(part);
  }

  #grow({ id, delta }: UiChunk): void {
    const part = this.#open.get(String(id));
    if (part !== undefined) part.text = `${String(part.text)}${String(delta)}`;
  }

  #addOfCall(chunk: UiChunk): void {
    const { toolCallId } = chunk;
    const part = this.#parts.findLast((one) => one.toolCallId === toolCallId);
    switch (chunk.type) {
      case "tool-input-available":
        this.#addCall(chunk, part);
        break;
      case "tool-approval-request":
        this.#update(part, { state: "approval-requested", approval: { id: chunk.approvalId } });
        break;
      case "tool-output-available":
        this.#update(part, { state: "output-available", output: chunk.output });
        break;
      case "tool-output-error":
        this.#update(part, { state: "output-error", errorText: chunk.errorText });
        break;
      case "tool-output-denied":
        this.#update(part, { state: "output-denied" });
        break;
      case "tool-input-start":
        if (part === undefined) this.#parts.push(callPart(chunk, { state: "input-streaming" }));
        break;
      default:
        break; // the pieces of an input, which is there as a whole later
    }
  }

  #addCall(chunk: UiChunk, part: OpenPart | undefined): void {
    const { input, providerExecuted } = chunk;
    const fields = { state: "input-available", input, ...(providerExecuted === true && { providerExecuted }) };
    if (part === undefined) this.#parts.push(callPart(chunk, fields));
    else this.#update(part, fields);
  }

  #addData({ type, id, data, transient }: UiChunk): void {
    if (transient === true) return;
    const known = id === undefined ? undefined : this.#parts.find((part) => part.type === type && part.id === id);
    if (known !== undefined) known.data = data;
    else this.#parts.push(id === undefined ? { type, data } : { type, id, data });
  }

  #update(part: OpenPart | undefined, fields: Readonly<Record<string, unknown>>): void {
    if (part !== undefined) Object.assign(part, fields);
  }
}

function callPart({ toolName, toolCallId, dynamic }: UiChunk, fields: Readonly<Record<string, unknown>>): OpenPart {
  return dynamic === true
    ? { type: "dynamic-tool", toolName, toolCallId, ...fields }
    : { type: `tool-${String(toolName)}`, toolCallId, ...fields };
}
