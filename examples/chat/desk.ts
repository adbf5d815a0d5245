// The agent: the front desk of a small restaurant, with a tool that looks something up, one that the page runs, and one
// that asks before it does anything.
import { type AgenticModel, type CheckpointStore, createTool } from "kumiko";
import { type Agent, createAgent } from "kumiko/agents";
import { z } from "zod";

const table = z.object({ day: z.string(), people: z.number().int().min(1).max(8) });

const findTables = createTool({
  id: "find_tables",
  description: "The times at which a table is free on a day.",
  inputSchema: table,
  execute: ({ day }) => ({ day, times: ["18:00", "19:30", "21:00"] }),
});

/** Without `execute`, the page does the work: it shows the times, and the user chooses one. */
const chooseTime = createTool({
  id: "choose_time",
  description: "Lets the user choose one of some times.",
  inputSchema: z.object({ times: z.array(z.string()).min(1) }),
  outputSchema: z.object({ time: z.string() }),
});

const bookTable = createTool({
  id: "book_table",
  description: "Books a table.",
  inputSchema: table.extend({ time: z.string() }),
  requireApproval: true,
  execute: ({ day, time, people }) => ({ day, time, people, reference: "K-0417" }),
});

export function createDesk(model: AgenticModel, store: CheckpointStore): Agent {
  return createAgent({
    name: "desk",
    model,
    store,
    tools: [findTables, chooseTime, bookTable],
    instructions: "You are the front desk of the restaurant Kawa. Be brief and friendly. Let the user choose a time.",
  });
}
