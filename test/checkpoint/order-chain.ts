import { Chain, type CompiledGraph, type CompileOptions, type NodeContext } from "kumiko";

/** What the chain notes, and what it does on the way. */
export interface OrderHooks {
  readonly log?: string[];
  /** In the first, the asking (once it was answered) and the last node. */
  readonly on?: (node: "first" | "question" | "last", ctx: NodeContext) => unknown;
}

/** Three steps: one that works, one that asks, one that works. `"a"` and the answer `"b"` make `"a>b."`. */
export function orderChain({ log = [], on }: OrderHooks, options: CompileOptions): CompiledGraph<string, string> {
  return new Chain<string>()
    .append(
      async (text, ctx) => {
        log.push("first");
        await on?.("first", ctx);
        return `${text}>`;
      },
      { key: "first" },
    )
    .append(
      async (text, ctx) => {
        log.push("asks");
        const answer = await ctx.ask("go", { about: text });
        log.push("question");
        await on?.("question", ctx);
        return `${text}${String(answer)}`;
      },
      { key: "question" },
    )
    .append(
      async (text, ctx) => {
        log.push("last");
        await on?.("last", ctx);
        return `${text}.`;
      },
      { key: "last" },
    )
    .compile(options);
}
