import type { ToolOutput } from "../components/tool.js";
import type { ToolResultContent } from "../schema/message/content-block.js";

/** Up to this length, the output is sent again with each piece. */
const shortLength = 1_000;

/**
 * The output of a tool while it is streamed. Clients get the whole output each time, so a long one is sent again only once it has
 * grown by an eighth; otherwise the amount of data would be quadratic.
 */
export class GrowingToolOutput {
  #text = "";
  #content: ToolResultContent[] = [];
  #length = 0;
  #sentLength = 0;

  /** Adds a piece. Returns the output to send, or `undefined` if it has grown too little. */
  add(delta: ToolOutput): string | readonly ToolResultContent[] | undefined {
    if (typeof delta === "string") this.#text += delta;
    else this.#content = [...this.#content, ...delta];
    this.#length += typeof delta === "string" ? delta.length : JSON.stringify(delta).length;
    if (this.#length > shortLength && this.#length < this.#sentLength * 1.125) return undefined;
    this.#sentLength = this.#length;
    return this.#content.length === 0 ? this.#text : this.#whole();
  }

  #whole(): readonly ToolResultContent[] {
    return this.#text === "" ? this.#content : [{ type: "text", text: this.#text }, ...this.#content];
  }
}
