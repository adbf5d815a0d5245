import type { NodeContext } from "../../components/context.js";
import { type Fields, isFields } from "../../is.js";
import { protocolError } from "../errors.js";
import { type Asker, answerElicitation } from "./elicitation.js";
import { rootsOf } from "./new-client.js";
import type { McpOptions } from "./options.js";
import type { Sampler } from "./sampling.js";

/** Answers the input requests in the result of a server. */
export class InputAnswers {
  readonly #options: McpOptions;
  readonly #sampler: Sampler | undefined;

  constructor(options: McpOptions, sampler: Sampler | undefined) {
    this.#options = options;
    this.#sampler = sampler;
  }

  answerer(asker: Asker): (key: string, request: Fields, ctx: NodeContext) => Promise<unknown> {
    return (key, { method, params }, ctx) => this.#answer(key, method, isFields(params) ? params : {}, asker, ctx);
  }

  async #answer(key: string, method: unknown, params: Fields, asker: Asker, ctx: NodeContext): Promise<unknown> {
    const { elicitation = "interrupt", roots } = this.#options;
    if (method === "elicitation/create") return answerElicitation(key, params, asker, elicitation, ctx);
    if (method === "sampling/createMessage" && this.#sampler !== undefined) {
      return this.#sampler.answer(key, params, asker, ctx);
    }
    if (method === "roots/list" && roots !== undefined) return ctx.once(key, () => rootsOf(roots));
    throw protocolError(asker.server, `asked for ${String(method)}, which this client does not offer.`);
  }
}
