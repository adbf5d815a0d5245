import { checkOptions } from "../check-options.js";
import type { Tool, ToolContext, ToolOutput } from "../components/tool.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { functionToolCall } from "../schema/message/construct-block.js";
import { assistantMessage } from "../schema/message/construct-message.js";
import { toolResultsOf } from "../schema/message/read-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { ToolError } from "../tools/define/errors.js";
import { isContentList, joinToolOutputs } from "../tools/define/tool-output.js";
import { AgenticToolsNode } from "../tools/node/agentic-tools-node.js";
import { type ConformanceCheck, expectSame, expectThat, rejectionOf, soon } from "./conformance.js";
import { deepEqual } from "./deep-equal.js";
import { argumentsRejected, differs } from "./errors.js";
import { toolContext } from "./tool-context.js";

/** Options of `toolConformance`. */
export interface ToolConformanceOptions {
  /** Arguments that the tool accepts, as JSON. @default "{}" */
  readonly arguments?: string | undefined;
  /** Arguments that the tool rejects. If missing, rejection is not checked. */
  readonly wrongArguments?: string | undefined;
  /** Whether the same arguments always produce the same result; if not, results are not compared. @default true */
  readonly repeatable?: boolean | undefined;
  /** Creates the context of direct calls. @default toolContext() */
  readonly context?: (() => ToolContext<never>) | undefined;
}

/**
 * Checks for a tool, for any test runner. The tool runs about ten times.
 *
 * @example
 * const echo = createTool({ id: "echo", description: "Echoes.", execute: (input) => input });
 * for (const { name, run } of toolConformance(echo, { arguments: '{"a":1}' })) {
 *   console.log(name);
 *   await run();
 * }
 */
export function toolConformance(
  tool: Tool<never> | (() => Tool<never>),
  options: ToolConformanceOptions = {},
): ConformanceCheck[] {
  checkOptions("toolConformance", options, ["arguments", "wrongArguments", "repeatable", "context"]);
  const suite = new ToolSuite(typeof tool === "function" ? tool : () => tool, options);
  const checks: ConformanceCheck[] = [
    { name: "has a component, a name and a description", run: async () => suite.saysWhatItIs() },
    {
      name: "describes its arguments by the JSON Schema of an object, if it has any",
      run: async () => suite.describes(),
    },
    { name: "returns a string or a list of content parts", run: () => suite.givesOutput() },
    { name: "streams the output of invoke in chunks", run: () => suite.streams() },
    { name: "rejects invalid arguments, and does not throw synchronously", run: () => suite.rejects() },
    { name: "keeps concurrent calls apart", run: () => suite.keepsCallsApart() },
    { name: "can be cancelled in mid-stream", run: () => suite.canBeLeft() },
    { name: "returns the same in both modes of a tools node", run: () => suite.runsInNode() },
  ];
  return checks.map(({ name, run }) => ({ name, run: () => run().catch((error) => suite.explain(error)) }));
}

class ToolSuite {
  readonly #make: () => Tool<never>;
  readonly #args: string;
  readonly #wrongArgs: string | undefined;
  readonly #repeatable: boolean;
  readonly #context: () => ToolContext<never>;

  constructor(make: () => Tool<never>, options: ToolConformanceOptions) {
    this.#make = make;
    this.#args = options.arguments ?? "{}";
    this.#wrongArgs = options.wrongArguments;
    this.#repeatable = options.repeatable ?? true;
    this.#context = options.context ?? (() => toolContext<never>());
  }

  /** Throws the error of a check. If the tool rejects the arguments, it says which option they are. */
  explain(error: unknown): never {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (ToolError.is(cause) && cause.kind === "validation") throw argumentsRejected(this.#args, cause);
    }
    throw error;
  }

  saysWhatItIs(): void {
    const { component, info, invoke, stream } = this.#make();
    expectSame(component, "tool", "component");
    expectThat(typeof info.name === "string" && info.name !== "", "info.name must be a non-empty string.");
    expectThat(typeof info.description === "string", "info.description must be a string.");
    const halves = [invoke, stream].filter((half) => half !== undefined);
    expectThat(halves.length > 0, "A tool needs invoke(args, ctx) or stream(args, ctx).");
    for (const half of halves) expectThat(typeof half === "function", "invoke and stream must be functions.");
  }

  describes(): void {
    const schema = this.#make().info.toJsonSchema();
    if (schema === undefined) return;
    expectSame(schema.type, "object", "the type of info.toJsonSchema()");
    expectThat(deepEqual(JSON.parse(JSON.stringify(schema)), schema), "info.toJsonSchema() must be plain JSON.");
  }

  async givesOutput(): Promise<void> {
    await this.#whole(this.#make());
    await this.#pieces(this.#make());
  }

  async streams(): Promise<void> {
    const tool = this.#make();
    const whole = await this.#whole(tool);
    const pieces = await this.#pieces(tool);
    if (whole === undefined || pieces === undefined || !this.#repeatable) return;
    expectEqual(joinToolOutputs(pieces), whole, "the joined chunks of stream(), against invoke()");
  }

  async rejects(): Promise<void> {
    const args = this.#wrongArgs;
    const tool = this.#make();
    if (args === undefined) return;
    if (tool.invoke !== undefined) {
      await rejectionOf(tool.invoke(args, this.#context()), "invoke(wrong arguments)");
    }
    if (tool.stream !== undefined) {
      const { stream } = tool;
      const reading = async (): Promise<unknown> => StreamReader.from(stream.call(tool, args, this.#context())).next();
      await rejectionOf(reading(), "the first read of stream(wrong arguments)");
    }
  }

  async keepsCallsApart(): Promise<void> {
    const tool = this.#make();
    const [first, second] = await Promise.all([this.#any(tool), this.#any(tool)]);
    if (this.#repeatable) expectEqual(first, second, "two calls at once");
  }

  async canBeLeft(): Promise<void> {
    const tool = this.#make();
    if (tool.stream === undefined) return;
    const reader = StreamReader.from(tool.stream(this.#args, this.#context()));
    await soon(reader.next(), "The first read of stream()");
    await soon(reader.cancel(), "cancel() in mid-stream");
    await soon(StreamReader.from(tool.stream(this.#args, this.#context())).cancel(), "cancel() before the first read");
  }

  async runsInNode(): Promise<void> {
    const tool = this.#make();
    const node = new AgenticToolsNode([tool]);
    const { name } = tool.info;
    const message = assistantMessage([
      functionToolCall({ callId: "a", name, arguments: this.#args }),
      functionToolCall({ callId: "b", name, arguments: this.#args }),
    ]);
    const whole = await soon(node.invoke(message), "invoke of a tools node");
    const streamed = await soon(node.stream(message).concat(), "stream of a tools node");
    expectEqual(idsOf(whole), ["a", "b"], "the call ids of the results");
    expectEqual(idsOf(streamed), ["a", "b"], "the call ids of the streamed results");
    if (this.#repeatable) expectEqual(streamed, whole, "the concatenated stream, against invoke");
  }

  async #any(tool: Tool<never>): Promise<ToolOutput | undefined> {
    const whole = await this.#whole(tool);
    if (whole !== undefined) return whole;
    return joinToolOutputs((await this.#pieces(tool)) ?? []);
  }

  async #whole(tool: Tool<never>): Promise<ToolOutput | undefined> {
    if (tool.invoke === undefined) return undefined;
    const promise: unknown = tool.invoke(this.#args, this.#context());
    expectThat(promise instanceof Promise, "invoke() must return a promise.");
    const output = await soon(promise as Promise<ToolOutput>, "invoke()");
    expectOutput(output, "invoke()");
    return output;
  }

  async #pieces(tool: Tool<never>): Promise<ToolOutput[] | undefined> {
    if (tool.stream === undefined) return undefined;
    const pieces: ToolOutput[] = [];
    const reader = StreamReader.from(tool.stream(this.#args, this.#context()));
    const read = async (): Promise<void> => {
      for await (const piece of reader) pieces.push(piece);
    };
    await soon(read(), "stream()");
    for (const piece of pieces) expectOutput(piece, "a chunk of stream()");
    return pieces;
  }
}

function expectOutput(output: unknown, what: string): void {
  const isOutput = typeof output === "string" || isContentList(output);
  if (!isOutput) throw differs(what, output, "a string or a list of content parts");
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (!deepEqual(actual, expected)) throw differs(what, actual, expected);
}

function idsOf(results: readonly AgenticMessage[]): string[] {
  return results.flatMap(toolResultsOf).map(({ callId }) => callId);
}
