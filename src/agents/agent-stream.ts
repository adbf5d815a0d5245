import { GrowingOutput } from "../models/growing-output.js";
import type { OutputSchema } from "../models/output-schema.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { AgentEvent } from "./agent-event.js";
import type { AgentResult } from "./agent-result.js";
import type { DeepPartial } from "./deep-partial.js";
import { errorEvent } from "./error-event.js";
import { Channel, EventFeed } from "./event-feed.js";

/** What a stream of an agent runs. */
export interface StreamedRun {
  readonly name: string;
  readonly output: OutputSchema | undefined;
  /** The tool by which the output is given, when it is. */
  readonly outputTool: string;
  start(feed: EventFeed, signal: AbortSignal): Promise<AgentResult<unknown>>;
  messages(): AgenticMessage[];
}

/**
 * A run of an agent as events. The first read, of events or `text`, or the first use of `result` starts it; leaving the loop
 * early aborts it.
 *
 * @example
 * const stream = agent.stream("Weather in Kyoto?");
 * for await (const text of stream.text) console.log(text);
 * const { usage } = await stream.result;
 */
export class AgentStream<Output = string> extends StreamReader<AgentEvent> {
  readonly #call: StreamCall;

  constructor(run: StreamedRun) {
    const call = new StreamCall(run);
    super(call.feed.events);
    this.#call = call;
  }

  /** What the run comes to. From its first use on, the run no longer waits for readers; unread events are kept. */
  get result(): Promise<AgentResult<Output>> {
    return this.#call.freeResult() as Promise<AgentResult<Output>>;
  }

  /** The text of the called agent, as it is written. Steps are separated by a blank line. */
  get text(): StreamReader<string> {
    return this.#call.text;
  }

  /** The growing value of the output, the last one validated; without a schema the growing text. */
  get partialOutput(): StreamReader<DeepPartial<Output>> {
    return this.#call.partialOutput as StreamReader<DeepPartial<Output>>;
  }

  /** What was logged so far; after an abort, also the text that had been delivered. */
  messages(): AgenticMessage[] {
    return this.#call.run.messages();
  }
}

class StreamCall {
  readonly run: StreamedRun;
  readonly feed: EventFeed;
  readonly #controller = new AbortController();
  #result: Promise<AgentResult<unknown>> | undefined;
  #text: StreamReader<string> | undefined;
  #partial: { readonly reader: StreamReader<unknown>; readonly channel: Channel<unknown> } | undefined;

  constructor(run: StreamedRun) {
    this.run = run;
    this.feed = new EventFeed(
      run.name,
      () => void this.#start(),
      (reason) => this.#controller.abort(reason ?? new DOMException("The stream of the agent was left.", "AbortError")),
    );
  }

  freeResult(): Promise<AgentResult<unknown>> {
    this.feed.free();
    return this.#start();
  }

  get text(): StreamReader<string> {
    this.#text ??= new StreamReader(this.feed.text);
    return this.#text;
  }

  get partialOutput(): StreamReader<unknown> {
    this.#partial ??= this.#openPartial();
    return this.#partial.reader;
  }

  #start(): Promise<AgentResult<unknown>> {
    if (this.#result === undefined) {
      this.#result = this.#run();
      this.#result.catch(() => undefined);
    }
    return this.#result;
  }

  async #run(): Promise<AgentResult<unknown>> {
    await undefined; // what starts it goes first
    try {
      const result = await this.run.start(this.feed, this.#controller.signal);
      this.#endPartial(result);
      this.feed.close();
      return result;
    } catch (error) {
      this.feed.emit({ type: "error", error: errorEvent(error) });
      this.#partial?.channel.close({ error });
      this.feed.close({ error });
      throw error;
    }
  }

  #openPartial(): { readonly reader: StreamReader<unknown>; readonly channel: Channel<unknown> } {
    const owner = { read: () => void this.freeResult(), taken: () => undefined, left: () => undefined };
    const channel = new Channel<unknown>(owner);
    const { output, outputTool } = this.run;
    const grown = output === undefined ? new GrowingText() : new GrowingValue(output, outputTool);
    this.feed.onEvent = (event) => {
      const value = grown.add(event);
      if (value !== undefined) channel.write(value.value);
    };
    return { reader: new StreamReader(channel), channel };
  }

  #endPartial(result: AgentResult<unknown>): void {
    const channel = this.#partial?.channel;
    if (channel === undefined) return;
    try {
      channel.write(result.output);
      channel.close();
    } catch (error) {
      channel.close({ error });
    }
  }
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
  readonly #tool: string;
  #growing: GrowingOutput;
  #source = "";

  constructor(output: OutputSchema, tool: string) {
    this.#output = output;
    this.#tool = tool;
    this.#growing = new GrowingOutput(output);
  }

  add(event: AgentEvent): Grown {
    if (event.agentPath.length !== 1) return undefined;
    if (event.type === "restart" || event.type === "step_start") this.#begin("");
    if (event.type === "tool_call_start" && event.name === this.#tool) this.#begin(event.callId);
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
