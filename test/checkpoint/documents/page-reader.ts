import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  type CheckpointStore,
  type CompiledGraph,
  createTool,
  END,
  functionToolCall,
  Graph,
  lambda,
  START,
  textOf,
  toolCallsOr,
  userMessage,
} from "../../../src/index.js";

const turns = 4;

export interface Library {
  /** Whether page 6 can be read. */
  readonly isOpen: boolean;
  /** The pages that were read, in order. */
  readonly pages: number[];
}

/**
 * An agent by hand, saved after each step with its history: it reads two pages at a time and asks for a title at the end. Its
 * saves refer to one another in all ways that there are. Documents of it are kept as files: what it does must not change.
 */
export function pageReader(store: CheckpointStore, library: Library): CompiledGraph<string, unknown> {
  const read = createTool({
    id: "read",
    description: "Reads a page.",
    execute: ({ page }: { readonly page: number }) => {
      if (page === 6 && !library.isOpen) throw new Error("closed");
      library.pages.push(page);
      return `Page ${page}: ${"every line of it is longer than what it takes to refer to it, and no two are alike ".repeat(2)}${page}.`;
    },
  });
  const call = (page: number) =>
    functionToolCall({ callId: `call-${page}`, name: "read", arguments: JSON.stringify({ page }) });
  const model = lambda({
    invoke: (messages: readonly AgenticMessage[]) => {
      const turn = messages.filter(({ role }) => role === "assistant").length;
      return turn >= turns ? assistantMessage("That is all.") : assistantMessage([call(2 * turn), call(2 * turn + 1)]);
    },
  });
  return new Graph<string, unknown>()
    .withState(() => ({ messages: [] as AgenticMessage[], title: "" }))
    .addNode("begin", (text: string) => [userMessage(text)])
    .addNode("model", model, {
      before: (input: readonly AgenticMessage[], state) => {
        state.messages.push(...input);
        return [...state.messages];
      },
    })
    .addToolsNode("tools", new AgenticToolsNode([read]), {
      before: (message: AgenticMessage, state) => {
        state.messages.push(message);
        return message;
      },
    })
    .addNode("title", async (_message: AgenticMessage, ctx) => {
      const title = await ctx.ask<AgenticMessage>("title", { pages: ctx.state.messages.length });
      ctx.state.messages.push(title);
      ctx.state.title = textOf(title);
      return title;
    })
    .addNode("check", async (_title: AgenticMessage, ctx) => ({
      title: ctx.state.title,
      texts: ctx.state.messages.length,
      fine: await ctx.ask<string>("fine", "Is it fine?"),
    }))
    .addEdge(START, "begin")
    .addEdge("begin", "model")
    .addStreamBranch("model", ["tools", "title"], toolCallsOr("tools", "title"))
    .addEdge("tools", "model")
    .addEdge("title", "check")
    .addEdge("check", END)
    .compile({ name: "reader", store, durability: "step", history: true, maxSteps: 100 });
}
