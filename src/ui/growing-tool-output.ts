import type { ToolOutput } from "../components/tool.js";
import type { ToolResultContent } from "../schema/message/content-block.js";

/** Up to this length an output is shown again with each piece. */
const small = 1_000;

/**
 * The output of a tool while it grows. A long one is shown again only when it has grown by an eighth: a client gets it whole
 * each time, and would otherwise get the square of it.
 */
export class GrowingToolOutput {
  #text = "";
  #content: ToolResultContent[] = [];
  #length = 0;
  #shown = 0;

  /** What the client should show now; `undefined` when it should wait for more. */
  add(delta: ToolOutput): string | readonly ToolResultContent[] | undefined {
    if (typeof delta === "string") this.#text += delta;
    else this.#content = [...this.#content, ...delta];
    this.#length += typeof delta === "string" ? delta.length : JSON.stringify(delta).length;
    if (this.#length > small && this.#length < this.#shown * 1.125) return undefined;
    this.#shown = this.#length;
    return this.#content.length === 0 ? this.#text : this.#whole();
  }

  #whole(): readonly ToolResultContent[] {
    return this.#text === "" ? this.#content : [{ type: "text", text: this.#text }, ...this.#content];
  }
}
