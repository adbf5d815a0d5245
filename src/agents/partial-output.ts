import { GrowingOutput } from "../models/growing-output.js";
import type { OutputSchema } from "../models/output-schema.js";
import type { ToolInfo } from "../schema/tool-info.js";
import type { AgentEvent } from "./agent-event.js";
import type { AgentParts } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import { outputToolAmong, structuredSchemaOf } from "./structured-output.js";

interface RunOutput {
  readonly events: AsyncIterable<AgentEvent>;
  readonly result: () => Promise<AgentResult<unknown>>;
  /** Which tools the model has, besides that for the output. */
  readonly tools: () => readonly ToolInfo[];
}

/** The growing output of a run, out of its events, and the validated one last. */
export async function* partialOutput(
  output: AgentParts["output"],
  { events, result, tools }: RunOutput,
): AsyncGenerator<unknown, void> {
  const growing = output === undefined ? new GrowingText() : new GrowingValue(structuredSchemaOf(output), tools);
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
  readonly #tools: RunOutput["tools"];
  #growing: GrowingOutput;
  #source = "";

  constructor(output: OutputSchema, tools: RunOutput["tools"]) {
    this.#output = output;
    this.#tools = tools;
    this.#growing = new GrowingOutput(output);
  }

  add(event: AgentEvent): Grown {
    if (event.agentPath.length !== 1) return undefined;
    if (event.type === "restart" || event.type === "step_start") this.#begin("");
    if (event.type === "tool_call_start" && event.name === outputToolAmong(this.#tools())) this.#begin(event.callId);
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
