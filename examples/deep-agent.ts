// A deep agent: it plans with a to-do list, works on files, delegates tasks to another agent, and its conversation is
// kept short. Files are a Map here; real files, and a shell, belong in a sandbox. The model follows a script.
// expect: todo: [ ] read the notes, [ ] write the report
// expect: researcher was asked: Summarise notes.md
// expect: report.md: Maples turn red when nights are cold.
// expect: todo: [x] read the notes, [x] write the report
// expect: The report is in report.md.
import { createTool, functionToolCall, memoryStore } from "kumiko";
import { clearToolResults, createAgent, promptCache, subAgents, summarize, todoList } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const files = new Map([["notes.md", "Maples: red leaves, cold nights, little rain."]]);

const readFile = createTool({
  id: "read_file",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => files.get(path) ?? `There is no ${path}.`,
});
const writeFile = createTool({
  id: "write_file",
  description: "Writes a file.",
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  execute: ({ path, text }) => {
    files.set(path, text);
    return "written";
  },
});

let ids = 0;
const call = (name: string, input: object) => [
  functionToolCall({ callId: String(++ids), name, arguments: JSON.stringify(input) }),
];
const plan = (status: "pending" | "completed") =>
  call("write_todos", { todos: ["read the notes", "write the report"].map((content) => ({ content, status })) });

const researcher = createAgent({
  name: "researcher",
  description: "Reads files and says what is in them.",
  model: scriptedModel(call("read_file", { path: "notes.md" }), "Maples turn red when nights are cold."),
  tools: [readFile],
});

const agent = createAgent({
  name: "writer",
  instructions: "You write reports. Plan first, and give the reading to the researcher.",
  model: scriptedModel(
    plan("pending"),
    call("task", { agent: "researcher", prompt: "Summarise notes.md" }),
    call("write_file", { path: "report.md", text: "Maples turn red when nights are cold." }),
    plan("completed"),
    "The report is in report.md.",
  ),
  tools: [readFile, writeFile],
  middleware: [
    todoList(),
    subAgents({ agents: [researcher] }),
    summarize({ model: scriptedModel(), atTokens: 100_000, keepTurns: 2 }),
    clearToolResults({ atTokens: 50_000 }),
    promptCache(),
  ],
  store: memoryStore(),
});

const stream = agent.stream("Write a report on the notes", { threadId: "reports" });
for await (const event of stream) {
  if (event.type !== "tool_call") continue;
  const input = JSON.parse(event.arguments);
  if (event.name === "write_todos") {
    const items = input.todos.map((todo: { content: string; status: string }) => {
      return `[${todo.status === "completed" ? "x" : " "}] ${todo.content}`;
    });
    console.log(`todo: ${items.join(", ")}`);
  }
  if (event.name === "task") console.log(`${input.agent} was asked: ${input.prompt}`);
  if (event.name === "write_file") console.log(`${input.path}: ${input.text}`);
}
console.log((await stream.result).text);
