import type { AnyTool } from "../../tools/define/any-tool.js";
import { createTool } from "../../tools/define/create-tool.js";
import { createMiddleware, type Middleware } from "../create-middleware.js";
import { turnAround } from "../turn.js";

/** One item of the list. */
export interface Todo {
  /** What is to be done. */
  readonly content: string;
  /** How far the item is. */
  readonly status: "pending" | "in_progress" | "completed";
}

const name = "todoList";

const description =
  "Writes the list of things to do, replacing the one before. Use it for work of several steps: write the list before you begin, " +
  "keep one item in_progress at a time, and mark an item completed as soon as it is.";

const inputSchema = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: {
          content: { type: "string", description: "What is to be done." },
          status: { type: "string", enum: ["pending", "in_progress", "completed"] },
        },
        required: ["content", "status"],
        additionalProperties: false,
      },
    },
  },
  required: ["todos"],
  additionalProperties: false,
} as const;

/**
 * Adds a to-do list to an agent, with the tool `write_todos`. The list is the state of the middleware, and lives as long as
 * the thread.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], middleware: [todoList()] });
 */
export function todoList(): Middleware<{ todos: readonly Todo[] }> {
  const tool = createTool({
    id: "write_todos",
    description,
    inputSchema,
    execute: (input, ctx) => {
      const todos = (input as { readonly todos: readonly Todo[] }).todos;
      const turn = turnAround(ctx);
      if (turn !== undefined) turn.state.middleware[name] = { todos };
      const open = todos.filter(({ status }) => status !== "completed").length;
      return `The list has ${todos.length} items, ${open} of them open.`;
    },
  });
  return createMiddleware<{ todos: readonly Todo[] }>({
    name,
    scope: "thread",
    state: () => ({ todos: [] }),
    tools: [tool as AnyTool],
    beforeAgent(run) {
      // the list of the thread is there from the first step on
      void run.state;
    },
  });
}
