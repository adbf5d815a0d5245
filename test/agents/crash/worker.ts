/** A process that runs one call of an agent: `node worker.mjs <settings as JSON>`. It notes each effect in a file. */
import { appendFileSync, writeSync } from "node:fs";
import {
  type AgenticMessage,
  assistantMessage,
  type CheckpointStore,
  createTool,
  functionToolCall,
  textOf,
  toolResultsOf,
} from "kumiko";
import { createAgent } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import type { CrashSettings } from "./crash-settings.js";

const settings: CrashSettings = JSON.parse(process.argv[2] ?? "");
let written = 0;

/** Notes what happens, and dies when its time has come: the file is written at once. */
function note(line: string): void {
  appendFileSync(settings.log, `${settings.life} ${line}\n`);
  written += 1;
  if (written === settings.dieAt) process.kill(process.pid, "SIGKILL");
}

const opened = sqliteStore(settings.store);
const store: CheckpointStore = {
  get: (id) => opened.get(id),
  put: async (id, data, ifVersion) => {
    note("put");
    const version = await opened.put(id, data, ifVersion);
    note("saved");
    return version;
  },
  delete: (id, ifVersion) => opened.delete(id, ifVersion),
  list: (prefix) => opened.list(prefix),
  isOwnerAlive: async (owner) => (await opened.isOwnerAlive?.(owner)) ?? true,
};

const tools = ["a", "b", "c"].map((id) =>
  createTool({
    id,
    description: `Does ${id}.`,
    execute: async () => {
      note(`begin ${id}`);
      await new Promise((resolve) => setImmediate(resolve));
      note(`end ${id}`);
      return `did ${id}`;
    },
  }),
);

const calls = (...names: string[]) =>
  assistantMessage(names.map((name) => functionToolCall({ callId: name, name, arguments: "{}" })));

/** Says what comes next of what it is shown: it remembers nothing. */
const model = {
  component: "model" as const,
  async generate(messages: readonly AgenticMessage[]): Promise<AgenticMessage> {
    note("model");
    const turn = messages.slice(
      messages.findLastIndex(
        ({ role, contentBlocks }) => role === "user" && contentBlocks[0]?.type === "user_input_text",
      ),
    );
    const done = turn.flatMap(toolResultsOf).length;
    if (settings.command === "new") return assistantMessage("new");
    if (settings.turns !== undefined) return assistantMessage(`to ${textOf(messages.at(-1) ?? assistantMessage(""))}`);
    if (done === 0) return calls("a", "b");
    return done === 2 ? calls("c") : assistantMessage("all done");
  },
  async *stream(messages: readonly AgenticMessage[]) {
    yield await model.generate(messages);
  },
};

const agent = createAgent({ model, tools, store, toolsNode: { executeSequentially: true } });
const threadId = "t";
const say = (value: unknown) => writeSync(1, JSON.stringify(value));
try {
  for (let turn = 1; turn < (settings.turns ?? 1); turn++) {
    await agent.generate(`${settings.command} ${turn}`, { threadId, onBusy: "wait" });
  }
  const result =
    settings.command === "resume"
      ? await agent.resume({ threadId })
      : await agent.generate(settings.command, { threadId, onBusy: settings.turns === undefined ? "throw" : "wait" });
  say({ text: result.text, messages: result.messages });
} catch (error) {
  say({ code: (error as { code?: string }).code, message: String(error) });
}
await opened.close();
