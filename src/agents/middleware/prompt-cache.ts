import { isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";

/** The options for providers that do not cache by themselves. */
const marks = {
  anthropic: { cacheControl: { type: "ephemeral" } },
  bedrock: { cachePoint: { type: "default" } },
} as const;

/**
 * Marks the end of the instructions and the last message, up to which providers may cache a request. It affects Anthropic
 * and Bedrock; other providers cache automatically, and ignore the marks.
 *
 * @example
 * const agent = createAgent({ model, instructions: "Be brief.", middleware: [promptCache()] });
 */
export function promptCache(): Middleware {
  return createMiddleware({
    name: "promptCache",
    wrapModelCall(request, next) {
      return next({
        ...request,
        instructions: withMark(request.instructions),
        messages: withMark(request.messages),
      });
    },
  });
}

function withMark(messages: readonly AgenticMessage[]): readonly AgenticMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return messages;
  const given = isFields(last.extra?.providerOptions) ? last.extra.providerOptions : {};
  const providerOptions: Record<string, unknown> = { ...given };
  for (const [name, mark] of Object.entries(marks)) {
    const own = providerOptions[name];
    providerOptions[name] = { ...mark, ...(isFields(own) ? own : {}) };
  }
  return [...messages.slice(0, -1), { ...last, extra: { ...last.extra, providerOptions } }];
}
