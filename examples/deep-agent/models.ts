// They stand in for a provider while the tape is recorded.
import { assistantMessage, functionToolCall } from "kumiko";
import { scriptedModel } from "kumiko/testing";

let ids = 0;
const call = (name: string, input: object) =>
  assistantMessage([functionToolCall({ callId: `call_${++ids}`, name, arguments: JSON.stringify(input) })]);
const todos = (...statuses: ("pending" | "in_progress" | "completed")[]) =>
  call("write_todos", {
    todos: ["have the notes read", "write the report"].map((content, index) => ({ content, status: statuses[index] })),
  });
const result = "Maples turn red when nights are cold and it rains little.";

export const ofResearcher = scriptedModel(
  call("grep", { text: "red" }),
  call("read_file", { path: "notes.md" }),
  result,
);

export const ofWriter = scriptedModel(
  todos("in_progress", "pending"),
  call("task", { agent: "researcher", prompt: "What do the notes say about red leaves?" }),
  call("load_skill", { name: "report" }),
  call("write_file", { path: "report.md", content: `${result}\n\nThis is in notes.md.\n` }),
  todos("completed", "completed"),
  "The report is in report.md.",
);
