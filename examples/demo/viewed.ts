// What `npm run demo -- --view` shows: the desk of the chat, and a graph that asks.
import { END, Graph, memoryStore, START } from "kumiko";
import { z } from "zod";
import { createDesk } from "../chat/desk.js";
import { scriptedDesk } from "../chat/scripted-desk.js";

interface Order {
  readonly what: string;
  readonly euros: number;
}

interface Decided extends Order {
  readonly chosen: string;
  readonly note?: string | undefined;
}

const decision = z.object({ decision: z.enum(["pay", "ask again", "cancel"]), note: z.string().optional() });

export const desk = createDesk(scriptedDesk({ wordsPerSecond: 20 }), memoryStore());

// without a store of its own, it is kept by kumiko dev as long as that runs
export const order = new Graph<Order, string>()
  .addNode("check stock", (order: Order) => ({ ...order, inStock: true }))
  .addNode("approve", async (checked: Order, ctx): Promise<Decided> => {
    const { decision: chosen, note } = await ctx.ask(
      "approve",
      { title: `Pay ${checked.euros} €?`, ...checked },
      decision,
    );
    return { ...checked, chosen, note };
  })
  .addNode("confirm", ({ what, chosen }: Decided) => `${what}: ${chosen}`)
  .addEdge(START, "check stock")
  .addEdge("check stock", "approve")
  .addEdge("approve", "confirm")
  .addEdge("confirm", END)
  .compile({ name: "order" });
