// A deep agent: it plans with a to-do list, gives the reading to another agent, reads a skill before it writes, and works on files. The
// answers of the model are on a tape, so that this runs without a key; with a model of your own, record it anew: KUMIKO_TAPE=record.
//
//   npx tsx examples/deep-agent.ts
//
// expect: write_todos: [>] have the notes read, [ ] write the report
// expect: task: What do the notes say about red leaves?
// expect: load_skill: report
// expect: write_file: report.md
// expect: write_todos: [x] have the notes read, [x] write the report
// expect: The report is in report.md.
// expect: Maples turn red when nights are cold and it rains little.
import { join } from "node:path";
import { memoryStore } from "kumiko";
import { createAgent, overBudget, subAgents, summarize, todoList } from "kumiko/agents";
import { cassette } from "kumiko/evals";
import { folderFiles, skills, storeFiles, workspace } from "kumiko/workspace";
import { ofResearcher, ofWriter } from "./deep-agent/models.js";

const isRecording = process.env.KUMIKO_TAPE === "record";
const tape = cassette(join(import.meta.dirname, "tapes", "deep-agent"), { mode: isRecording ? "record" : "replay" });
const model = tape.model(ofWriter);
const store = memoryStore();
const files = storeFiles(store, "reports");

const researcher = createAgent({
  name: "researcher",
  description: "Reads files and says what is in them.",
  model: tape.model(ofResearcher),
  middleware: [workspace({ files, readOnly: true })],
});
const writer = createAgent({
  name: "writer",
  instructions: "You write reports. Plan first, and give the reading to the researcher.",
  model,
  middleware: [
    todoList(),
    subAgents({ agents: [researcher] }),
    skills({ files: folderFiles(join(import.meta.dirname, "deep-agent")) }),
    workspace({ files }),
    summarize({ model, atTokens: 100_000, keepTurns: 2 }),
  ],
  stopWhen: overBudget({ tokens: 500_000 }),
  store,
});

// --- a turn, as it goes ------------------------------------------------------------------------------------------------------

await files.write("notes.md", new TextEncoder().encode("Maples: red leaves, cold nights, little rain."));
const stream = writer.stream("Write a report on red leaves", { threadId: "reports" });
for await (const event of stream) {
  if (event.type !== "tool_call" || event.parentCallId !== undefined) continue;
  const { todos, prompt, name, path } = JSON.parse(event.arguments);
  const marks: Record<string, string> = { completed: "x", in_progress: ">", pending: " " };
  const list = todos?.map((todo: { content: string; status: string }) => `[${marks[todo.status]}] ${todo.content}`);
  console.log(`${event.name}: ${list?.join(", ") ?? prompt ?? name ?? path}`);
}
console.log((await stream.result).text);
console.log(new TextDecoder().decode((await files.read("report.md"))?.data).split("\n")[0]);
