/** A process that runs an agent over files: `node kill-child.mjs <store> <folder> <log> <die at>`. It kills itself after so many notes. */
import { appendFileSync } from "node:fs";
import {
  type AgenticMessage,
  assistantMessage,
  type CheckpointStore,
  createTool,
  functionToolCall,
  toolResultsOf,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { type Files, folderFiles, workspace } from "kumiko/workspace";

const [storePath = "", root = "", log = "", dieAt = "0"] = process.argv.slice(2);
let noted = 0;

function note(line: string): void {
  appendFileSync(log, `${line}\n`);
  noted += 1;
  if (noted === Number(dieAt)) process.kill(process.pid, "SIGKILL");
}

const opened = sqliteStore(storePath);
const store: CheckpointStore = {
  get: (id) => opened.get(id),
  put: async (id, data, ifVersion) => {
    const version = await opened.put(id, data, ifVersion);
    note("saved");
    return version;
  },
  delete: (id, ifVersion) => opened.delete(id, ifVersion),
  list: (prefix) => opened.list(prefix),
  isOwnerAlive: async (owner) => (await opened.isOwnerAlive?.(owner)) ?? true,
};

const folder = folderFiles(root);
const files: Files = {
  read: (path) => folder.read(path),
  list: (prefix) => folder.list(prefix),
  delete: (path) => folder.delete(path),
  write: async (path, data, options) => {
    note(`write ${path}`);
    const version = await folder.write(path, data, options);
    note(`written ${path}`);
    return version;
  },
};

const report = createTool({ id: "report", description: "", execute: () => "long ".repeat(6_000) });
const call = (callId: string, name: string, input: object) =>
  functionToolCall({ callId, name, arguments: JSON.stringify(input) });
const rounds = [
  [call("1", "write_file", { path: "a", content: "one\n" })],
  [call("2", "edit_file", { path: "a", old: "one\n", new: "one\none more\n" }), call("3", "report", {})],
  [call("4", "edit_file", { path: "a", old: "one", new: "", all: true })],
];
const model = {
  component: "model" as const,
  async generate(messages: readonly AgenticMessage[]): Promise<AgenticMessage> {
    const done = messages.filter((message) => message.role === "assistant").length;
    return assistantMessage(rounds[done] ?? "Done.");
  },
  async *stream(messages: readonly AgenticMessage[]) {
    yield await model.generate(messages);
  },
};
const agent = createAgent({
  model,
  tools: [report],
  middleware: [workspace({ files })],
  store,
  toolsNode: { executeSequentially: true },
});

// a request that is known goes on, or is told again
const result = await agent.generate("Go", { threadId: "t", requestId: "go" });
const errors = result.messages.flatMap(toolResultsOf).filter(({ isError }) => isError === true);
process.stdout.write(
  JSON.stringify({
    text: result.text,
    results: result.messages.flatMap(toolResultsOf).map(({ result: text }) => text),
    errors,
  }),
);
await opened.close();
