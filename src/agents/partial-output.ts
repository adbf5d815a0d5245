import { GrowingOutput } from "../models/growing-output.js";
import type { OutputSchema } from "../models/output-schema.js";
import type { AgentEvent } from "./agent-event.js";
import { type AgentParts, outputToolName } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import { structuredSchemaOf } from "./structured-output.js";

/** The growing output of a run, out of its events, and the validated one last. */
export async function* partialOutput(
  output: AgentParts["output"],
  events: AsyncIterable<AgentEvent>,
  result: () => Promise<AgentResult<unknown>>,
): AsyncGenerator<unknown, void> {
  const growing = output === undefined ? new GrowingText() : new GrowingValue(structuredSchemaOf(output));
  for await (const event of events) {
    const grown = growing.add(event);
    if (grown !== undefined) yield grown.value;
  }
  yield (await result()).output;
}

type Grown = { readonly value: unknown } | undefined;

class GrowingText {
  #text = "";
  #step = 0;

  add(event: AgentEvent): Grown {
    if (event.agentPath.length !== 1) return undefined;
    if (event.type === "restart") this.#text = "";
    if (event.type !== "text_delta") return undefined;
    if (event.step !== this.#step) this.#text = "";
    this.#step = event.step;
    this.#text += event.delta;
    return { value: this.#text };
  }
}

/** Reads the output out of the text, or out of the arguments of the tool by which it is given. */
class GrowingValue {
  readonly #output: OutputSchema;
  #growing: GrowingOutput;
  #source = "";

  constructor(output: OutputSchema) {
    this.#output = output;
    this.#growing = new GrowingOutput(output);
  }

  add(event: AgentEvent): Grown {
    if (event.agentPath.length !== 1) return undefined;
    if (event.type === "restart" || event.type === "step_start") this.#begin("");
    if (event.type === "tool_call_start" && event.name === outputToolName) this.#begin(event.callId);
    if (event.type === "text_delta" && this.#source === "") return this.#grow(event.delta);
    if (event.type === "tool_call_delta" && event.callId === this.#source) return this.#grow(event.delta);
    return undefined;
  }

  #begin(source: string): void {
    this.#source = source;
    this.#growing = new GrowingOutput(this.#output);
  }

  #grow(text: string): Grown {
    return this.#growing.add({ role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text }] });
  }
}
