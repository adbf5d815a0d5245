import type { NodeContext } from "../../components/context.js";
import type { AgenticModel, ModelOptions } from "../../components/model.js";
import { Chain } from "../../compose/chain.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import type { Fields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { systemMessage } from "../../schema/message/construct-message.js";
import { textOf } from "../../schema/message/read-message.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption } from "../errors.js";
import { agenticMessageOf } from "../messages.js";
import type { Asker } from "./elicitation.js";
import type { McpSampling, SamplingApproval, SamplingQuestion } from "./options.js";

const verdictSchema: JsonSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

/** Answers sampling requests of servers with a model. */
export class Sampler {
  readonly approve: SamplingApproval;
  readonly #chain: CompiledGraph<readonly AgenticMessage[], AgenticMessage>;
  readonly #modelName: string;

  constructor({ model, approve = false }: McpSampling) {
    this.approve = approve;
    this.#modelName = model.type ?? "model";
    this.#chain = new Chain<readonly AgenticMessage[]>().appendModel(model).compile({ name: "mcp_sampling" });
  }

  /**
   * Answers a request in the result of a server. The model runs as a child of the tool call, which remembers its answer.
   */
  async answer(key: string, params: Fields, asker: Asker, ctx: NodeContext): Promise<Fields> {
    const question: SamplingQuestion = { kind: "mcp_sampling", ...asker, params };
    const { approve } = this;
    if (approve === true) {
      const { approved, reason } = await ctx.ask<Verdict>(`${key}:approve`, question, verdictSchema);
      if (!approved) throw declined(asker, reason);
    } else if (typeof approve === "function") {
      const approved = await ctx.once(`${key}:approve`, async () =>
        verdictOf(await approve(question, { signal: ctx.signal })),
      );
      if (!approved) throw declined(asker, undefined);
    }
    return ctx.once(`${key}:answer`, () => this.#run(params, { parent: ctx, key: `mcp_sampling:${key}` }));
  }

  /** Answers a request during a call, where `approve` can only be a function, because nobody can be asked. */
  async answerInCall(params: Fields, asker: Asker, signal: AbortSignal, ctx: NodeContext | undefined): Promise<Fields> {
    const { approve } = this;
    if (typeof approve === "function") {
      const question: SamplingQuestion = { kind: "mcp_sampling", ...asker, params };
      if (!verdictOf(await approve(question, { signal }))) throw declined(asker, undefined);
    }
    if (ctx === undefined) return this.#run(params, { signal });
    return this.#run(params, { parent: ctx, key: `mcp_sampling:${globalThis.crypto.randomUUID()}`, signal });
  }

  async #run(params: Fields, options: object): Promise<Fields> {
    const { messages, systemPrompt } = params;
    const given = (Array.isArray(messages) ? messages : []).map(agenticMessageOf);
    const input = typeof systemPrompt === "string" ? [systemMessage(systemPrompt), ...given] : given;
    const answer = await this.#chain.invoke(input, { ...options, options: { model: modelOptions(params) } });
    const stopReason = stopReasonOf(answer);
    return {
      role: "assistant",
      content: { type: "text", text: textOf(answer) },
      model: this.#modelName,
      ...(stopReason !== undefined && { stopReason }),
    };
  }
}

interface Verdict {
  readonly approved: boolean;
  readonly reason?: string;
}

/** The result of the function `approve`. Anything but a boolean could be taken for an approval. */
function verdictOf(given: unknown): boolean {
  if (typeof given === "boolean") return given;
  throw invalidMcpOption(`approve of sampling of connectMcp must return true or false (got ${kindOf(given)}).`);
}

function declined({ server }: Asker, reason: string | undefined): Error {
  const why = reason === undefined || reason === "" ? "" : ` Reason: ${reason}`;
  return new Error(`The sampling request of the MCP server "${server}" was declined.${why}`);
}

function modelOptions({ maxTokens, temperature, stopSequences }: Fields): Fields & ModelOptions {
  return {
    ...(typeof maxTokens === "number" && { maxOutputTokens: maxTokens }),
    ...(typeof temperature === "number" && { temperature }),
    ...(Array.isArray(stopSequences) && { stop: stopSequences.filter((stop) => typeof stop === "string") }),
  };
}

function stopReasonOf({ responseMeta }: AgenticMessage): string | undefined {
  const reason = responseMeta?.finishReason;
  if (reason === "stop") return "endTurn";
  return reason === "length" ? "maxTokens" : reason;
}

export function samplerOf(given: AgenticModel | McpSampling | undefined): Sampler | undefined {
  if (given === undefined) return undefined;
  return new Sampler("generate" in given ? { model: given } : given);
}
