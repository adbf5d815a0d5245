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
  type NodeContext,
  START,
  toolResultsOf,
} from "kumiko";
import { z } from "zod";

/** Does something outside that must not happen twice. */
export type Effect = (ctx: NodeContext, task: string, effect: string) => Promise<void>;

interface OrderState {
  /** What the tools said, by round. */
  readonly results: Record<string, string[]>;
  readonly seen: Record<string, true>;
}

export interface Receipt {
  readonly total: number;
  readonly results: Record<string, string[]>;
  readonly seen: readonly string[];
  readonly audits: readonly number[];
  readonly approvedBy: string;
}

export const rounds = 3;
export const items = 7;

/**
 * Twenty nodes: three side by side, a graph in the graph, a loop of which tools are a part, child runs one after another and
 * side by side, a question of a tool and one of a node.
 */
export function orderGraph(effect: Effect, store: CheckpointStore): CompiledGraph<number, Receipt> {
  const part = (task: string, value: number) => async (count: number, ctx: NodeContext<OrderState>) => {
    ctx.state.seen[task] = true;
    await effect(ctx, task, "do");
    return value * count;
  };
  const graph = new Graph<number, Receipt>()
    .withState((): OrderState => ({ results: {}, seen: {} }))
    .addNode("receive", part("receive", 1))
    .addNode("price", part("price", 100), { outputKey: "price" })
    .addNode("stock", part("stock", 10), { outputKey: "stock" })
    .addNode("address", part("address", 1), { outputKey: "address" })
    .addNode("gather", async (parts: { price: number; stock: number; address: number }, ctx) => {
      await effect(ctx, "gather", "do");
      return parts.price + parts.stock + parts.address;
    })
    .addNode("pack", packing(effect))
    .addNode("plan", async (_total: number, ctx) => {
      const round = Object.keys(ctx.state.results).length + 1;
      await effect(ctx, `plan_${round}`, "do");
      return callsOf(round);
    })
    .addToolsNode("tools", toolsOf(effect))
    .addNode("review", async (messages: AgenticMessage[], ctx) => {
      const results = messages.flatMap(toolResultsOf);
      const round = results[0]?.callId.split("_")[1] ?? "";
      await effect(ctx, `review_${round}`, "do");
      ctx.state.results[round] = results.map(({ result }) => result);
      return Number(round);
    })
    .addNode("audit", async (_round: number, ctx) => {
      const child = auditing(effect);
      const [first, second] = [await child.invoke(1, { parent: ctx }), await child.invoke(2, { parent: ctx })];
      const beside = ["left", "right"].map((key, n) => child.invoke(3 + n, { parent: ctx, key }));
      return [first, second, ...(await Promise.all(beside))];
    })
    .addNode("approve", async (audits: number[], ctx) => {
      await ctx.once("ticket", () => effect(ctx, "approve", "ticket"));
      const approvedBy = await ctx.ask("who", { kind: "approve" }, z.object({ name: z.string() }));
      await effect(ctx, "approve", "note");
      return { audits, approvedBy: approvedBy.name };
    })
    .addNode("ship", (given: Approved, ctx) => effect(ctx, "ship", "do").then(() => given.audits), {
      outputKey: "audits",
    })
    .addNode("bill", (given: Approved, ctx) => effect(ctx, "bill", "do").then(() => given.approvedBy), {
      outputKey: "approvedBy",
    })
    .addNode("close", async (given: Approved, ctx) => {
      await effect(ctx, "close", "do");
      const { results, seen } = ctx.state;
      return { ...given, total: items * 111, results, seen: Object.keys(seen).sort() };
    });
  return graph
    .addEdge(START, "receive")
    .addEdge("receive", "price")
    .addEdge("receive", "stock")
    .addEdge("receive", "address")
    .addEdge("price", "gather")
    .addEdge("stock", "gather")
    .addEdge("address", "gather")
    .addEdge("gather", "pack")
    .addEdge("pack", "plan")
    .addEdge("plan", "tools")
    .addEdge("tools", "review")
    .addBranch("review", ["plan", "audit"], (round: number) => (round < rounds ? "plan" : "audit"))
    .addEdge("audit", "approve")
    .addEdge("approve", "ship")
    .addEdge("approve", "bill")
    .addEdge("ship", "close")
    .addEdge("bill", "close")
    .addEdge("close", END)
    .compile({ name: "order", store, durability: "step" });
}

interface Approved {
  readonly audits: number[];
  readonly approvedBy: string;
}

/** A graph for a node: each of its nodes runs once all before it have run. */
function packing(effect: Effect): CompiledGraph<number, number> {
  const node = (task: string) => async (total: number, ctx: NodeContext) => {
    await effect(ctx, task, "do");
    return total;
  };
  return new Graph<number, number>()
    .addNode("box", node("box"))
    .addNode("label", node("label"), { outputKey: "label" })
    .addNode("weigh", node("weigh"), { outputKey: "weigh" })
    .addNode("seal", async ({ label }: { label: number; weigh: number }, ctx) => {
      await effect(ctx, "seal", "do");
      return label;
    })
    .addEdge(START, "box")
    .addEdge("box", "label")
    .addEdge("box", "weigh")
    .addEdge("label", "seal")
    .addEdge("weigh", "seal")
    .addEdge("seal", END)
    .compile({ name: "pack", triggerMode: "allPredecessor" });
}

/** A graph that a node runs as its child. */
function auditing(effect: Effect): CompiledGraph<number, number> {
  return new Graph<number, number>()
    .addNode("open", async (n: number, ctx) => {
      await effect(ctx, `open_${n}`, "do");
      return n;
    })
    .addNode("check", async (n: number, ctx) => {
      await effect(ctx, `check_${n}`, "do");
      return n * n;
    })
    .addEdge(START, "open")
    .addEdge("open", "check")
    .addEdge("check", END)
    .compile({ name: "audit" });
}

function callsOf(round: number): AgenticMessage {
  const names = ["reserve", "pay", "notify", ...(round === 2 ? ["confirm"] : [])];
  return assistantMessage(
    names.map((name) => functionToolCall({ callId: `${name}_${round}`, name, arguments: JSON.stringify({ round }) })),
  );
}

const inputSchema = z.object({ round: z.number() });

function toolsOf(effect: Effect): AgenticToolsNode {
  const reserve = createTool({
    id: "reserve",
    description: "Reserves the items.",
    inputSchema,
    execute: async ({ round }, ctx) => {
      await effect(ctx, `reserve_${round}`, "do");
      return `reserved ${round}`;
    },
  });
  const pay = createTool({
    id: "pay",
    description: "Charges a card, and sends a receipt for it.",
    inputSchema,
    execute: async ({ round }, ctx) => {
      const paid = await ctx.once("charge", async () => {
        await effect(ctx, `pay_${round}`, "charge");
        return `paid ${round}`;
      });
      await effect(ctx, `pay_${round}`, "receipt");
      return paid;
    },
  });
  const notify = createTool({
    id: "notify",
    description: "Says it in two pieces.",
    inputSchema,
    execute: async function* ({ round }, ctx) {
      yield "told ";
      await effect(ctx, `notify_${round}`, "do");
      yield String(round);
    },
  });
  const confirm = createTool({
    id: "confirm",
    description: "Asks somebody.",
    inputSchema,
    execute: async ({ round }, ctx) => {
      await ctx.once("letter", () => effect(ctx, `confirm_${round}`, "letter"));
      const answer = await ctx.ask<string>("sure", { kind: "confirm" });
      await effect(ctx, `confirm_${round}`, "do");
      return `${answer} ${round}`;
    },
  });
  return new AgenticToolsNode([reserve, pay, notify, confirm]);
}
