import type { ToolOutput } from "../components/tool.js";
import { isStream } from "../is.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { ToolCallMiddleware } from "../tools/node/middleware.js";
import type { ToolList } from "../tools/node/tool-list.js";
import { agentApprovals } from "./agent-approvals.js";
import type { AgentParts } from "./agent-parts.js";
import type { AnyMiddleware } from "./create-middleware.js";
import { wrapToolCall } from "./run-hooks.js";

/** The wrappers of every tool of an agent, outside and inside of those of its tools node. */
export function toolWrappers(
  parts: AgentParts,
  tools: ToolList,
): { readonly outer: readonly ToolCallMiddleware[]; readonly inner: readonly ToolCallMiddleware[] } {
  const outer = parts.middleware.filter(({ wrapToolCall }) => wrapToolCall !== undefined);
  const approval = approvalWrapper(parts, tools);
  return {
    outer: outer.map(hookWrapper),
    inner: approval === undefined ? [] : [approval],
  };
}

function hookWrapper(middleware: AnyMiddleware): ToolCallMiddleware {
  return {
    invokable: (next) => (call, ctx) => wrapToolCall(middleware, call, ctx, (changed = call) => next(changed, ctx)),
    streamable: (next) => async (call, ctx) => {
      let reader: StreamReader<unknown> | undefined;
      const given = await wrapToolCall(middleware, call, ctx, (changed = call) => {
        const stream = next(changed, ctx);
        reader = stream;
        return stream.concat();
      });
      void reader?.cancel();
      return outputOf(given);
    },
  };
}

/** A hook may give a stream for a tool that streams, like the tool. */
function outputOf(given: unknown): StreamReader<ToolOutput> {
  return StreamReader.from(isStream(given) ? (given as StreamSource<ToolOutput>) : [given as ToolOutput]);
}

/** Asks before a tool runs, where the agent wants that. What the tool itself asks is asked in the same question. */
function approvalWrapper({ options }: AgentParts, tools: ToolList): ToolCallMiddleware | undefined {
  if (options.requireApproval === undefined) return undefined;
  const settle = agentApprovals(options.requireApproval, tools);
  return {
    invokable: (next) => async (call, ctx) => next(await settle(call, ctx), ctx),
    streamable: (next) => async (call, ctx) => next(await settle(call, ctx), ctx),
  };
}
