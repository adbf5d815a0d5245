import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { NodeContext } from "../../components/context.js";
import { Chain } from "../../compose/chain.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import { type Fields, isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption } from "../errors.js";
import { promptMessagesOf } from "../messages.js";
import type { CallProgram, CallRequest, CallRunner } from "./call-runner.js";
import { type CallSessions, type CallState, withClient } from "./call-session.js";
import type { MCPServerOptions, MCPServerPrompt } from "./options.js";
import { promptMessageOf } from "./returned-values.js";
import { loadServer } from "./sdk.js";
import { failed, invalidState, missingArgument, unknownPrompt } from "./wire-error.js";

type Arguments = Readonly<Record<string, string>>;

interface PromptProgram extends CallProgram {
  readonly graph: CompiledGraph<Arguments, Fields>;
}

const idPrefix = "mcp_prompt_";

/** Renders the prompts that clients request. */
export class PromptCalls {
  readonly listed: readonly Fields[];
  readonly #prompts: ReadonlyMap<string, MCPServerPrompt>;
  readonly #programs: ReadonlyMap<string, PromptProgram>;

  constructor(options: MCPServerOptions, store: CheckpointStore, sessions: CallSessions) {
    const prompts = Object.entries(options.prompts ?? {});
    this.#prompts = new Map(prompts);
    this.listed = prompts.map(([name, { title, description, arguments: args }]) => ({
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(args !== undefined && { arguments: args.map((argument) => ({ ...argument })) }),
    }));
    this.#programs = new Map(
      prompts.map(([name, prompt]) => [
        name,
        {
          name,
          graph: compile(name, prompt, options, store, sessions),
          refused: (text) => {
            throw failed(text);
          },
        },
      ]),
    );
  }

  has(name: string): boolean {
    return this.#prompts.has(name);
  }

  async get(
    runner: CallRunner,
    request: CallRequest,
    name: string,
    args: Arguments,
    state: CallState | undefined,
  ): Promise<Fields> {
    const prompt = this.#prompts.get(name);
    const program = this.#programs.get(name);
    if (prompt === undefined || program === undefined) throw unknownPrompt(name);
    for (const { name: argument, required } of prompt.arguments ?? []) {
      if (required === true && !Object.hasOwn(args, argument)) throw missingArgument(name, argument);
    }
    if (state === undefined) {
      const checkpointId = `${idPrefix}${globalThis.crypto.randomUUID()}`;
      return runner.start(program, request, checkpointId, (options) => program.graph.invoke(args, options));
    }
    if (!state.checkpointId.startsWith(idPrefix)) throw invalidState();
    return runner.answer(program, request, state);
  }
}

function compile(
  name: string,
  { description, template }: MCPServerPrompt,
  options: MCPServerOptions,
  store: CheckpointStore,
  sessions: CallSessions,
): CompiledGraph<Arguments, Fields> {
  return new Chain<Arguments>()
    .append(
      async (args, ctx) => {
        const session = sessions.find(ctx);
        const messages = await render(name, template, args, session === undefined ? ctx : withClient(ctx, session));
        const result = { ...(description !== undefined && { description }), messages };
        await session?.keepFinal(result);
        return result as Fields;
      },
      { key: "template" },
    )
    .compile({
      name: `prompts/get ${name}`,
      store,
      durability: options.store === undefined ? "exit" : "step",
      ...(options.runtime !== undefined && { runtime: options.runtime }),
      ...(options.callbacks !== undefined && { callbacks: options.callbacks }),
    });
}

async function render(
  name: string,
  template: MCPServerPrompt["template"],
  args: Arguments,
  ctx: NodeContext,
): Promise<Fields[]> {
  const given: unknown =
    typeof template === "function"
      ? await template(args, ctx as never)
      : await template.format(args as never, ctx as never);
  if (!Array.isArray(given))
    throw invalidMcpOption(
      `The template of the prompt "${name}" must return an array of messages (got ${kindOf(given)}).`,
    );
  const { specTypeSchemas } = await loadServer();
  return given.flatMap((message: unknown) => {
    if (!isFields(message))
      throw invalidMcpOption(`The template of the prompt "${name}" returned ${kindOf(message)} in place of a message.`);
    return Array.isArray(message.contentBlocks)
      ? promptMessagesOf(message as object as AgenticMessage).map((part) => ({ ...part }))
      : [promptMessageOf(name, message, specTypeSchemas.ContentBlock)];
  });
}
