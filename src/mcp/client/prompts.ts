import type { Template } from "../../components/retrieval.js";
import { isFields } from "../../is.js";
import { protocolError } from "../errors.js";
import { agenticMessageOf } from "../messages.js";
import { exchange, runContextOf } from "./exchange.js";
import type { InputAnswers } from "./input-answers.js";
import type { ServerLink } from "./link.js";

/** A prompt as a server lists it. */
export interface McpPrompt {
  /** The name by which the prompt is asked for. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The prompt's description. */
  readonly description?: string | undefined;
  /** The arguments that it takes. */
  readonly arguments?: readonly McpPromptArgument[] | undefined;
}

/** An argument of a prompt. */
export interface McpPromptArgument {
  /** The name of the argument. */
  readonly name: string;
  /** The argument's description. */
  readonly description?: string | undefined;
  /** Whether it must be given. @default false */
  readonly required?: boolean | undefined;
}

export async function listPrompts(link: ServerLink): Promise<McpPrompt[]> {
  const settings = { name: "prompts/list", repeatable: true };
  const { prompts } = await link.request((client) => client.listPrompts({}, { timeout: link.timeout }), settings);
  return prompts as McpPrompt[];
}

/** A template that renders a prompt of the server. Arguments are strings, so other values are sent as JSON. */
export function mcpPromptTemplate(link: ServerLink, answers: InputAnswers, name: string): Template {
  return {
    component: "template",
    type: "Mcp",
    format: async (variables, ctx) => {
      const signal = ctx?.signal;
      const asker = { server: link.name, toolName: name, toolCallId: "" };
      const scope = { server: link.name, name, ctx, answer: answers.answerer(asker) };
      const options = { timeout: link.timeout, allowInputRequired: true, ...(signal && { signal }) };
      const result = await exchange(scope, (more) =>
        link.inFlight.during({ toolName: name, toolCallId: "", ctx: runContextOf(ctx) }, () =>
          link.request(
            (client) => client.getPrompt({ name, arguments: textsOf(variables), ...more } as never, options),
            {
              signal,
              name,
              repeatable: true,
            },
          ),
        ),
      );
      const messages = isFields(result) ? result.messages : undefined;
      if (!Array.isArray(messages)) throw protocolError(link.name, `sent no messages for the prompt "${name}".`);
      return messages.map(agenticMessageOf);
    },
  };
}

function textsOf(variables: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(variables ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === "string" ? value : (JSON.stringify(value) ?? "")]),
  );
}
