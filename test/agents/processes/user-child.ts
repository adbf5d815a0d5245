/**
 * A process whose agent learns facts about two users, one per turn: `node user-child.mjs <store> <log> <crew> <turns> <die at>`. It kills
 * itself around its so many-th write.
 */
import { appendFileSync } from "node:fs";
import { assistantMessage, type CheckpointStore, textOf } from "kumiko";
import { createAgent, userProfile } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { call } from "../agents.js";

const [file = "", log = "", crew = "", turns = "0", dieAt = "0"] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(log, `${line}\n`);
const opened = sqliteStore(file);
let moments = 0;
function moment(): void {
  moments += 1;
  if (moments === Number(dieAt)) process.kill(process.pid, "SIGKILL");
}

const store: CheckpointStore = {
  get: (id) => opened.get(id),
  put: async (id, data, ifVersion) => {
    moment();
    const version = await opened.put(id, data, ifVersion);
    moment();
    return version;
  },
  delete: (id, ifVersion) => opened.delete(id, ifVersion),
  list: (prefix) => opened.list(prefix),
  isOwnerAlive: async (owner) => (await opened.isOwnerAlive?.(owner)) ?? true,
};

const agent = createAgent({
  model: {
    component: "model",
    generate: async (messages) => {
      const prompt = messages.findLast(
        ({ role, contentBlocks }) => role === "user" && contentBlocks[0]?.type === "user_input_text",
      );
      const count = messages.filter(({ role }) => role === "assistant").length;
      const fact = prompt === undefined ? "" : textOf(prompt);
      return assistantMessage(
        count === 0 ? [call("1", "update_profile", { set: { [fact]: true } })] : `Noted ${fact}.`,
      );
    },
  },
  store,
  middleware: [userProfile({ maxCharacters: 100_000 })],
  callbacks: [
    {
      onEvent: (_info, event) => {
        if (JSON.stringify(event).includes("user_state_failed")) note(`failed ${JSON.stringify(event)}`);
      },
    },
  ],
});

for (let turn = 0; turn < Number(turns); turn++) {
  const userId = turn % 2 === 0 ? "ann" : "bob";
  const fact = `${userId}-${crew}-${turn}`;
  // what was done before is told, and what was cut off goes on
  await agent.generate(fact, { threadId: `${crew}-${turn}`, requestId: fact, userId });
}
note(`over ${crew}`);
await opened.close();
