/** A process that serves chats, until it kills itself: `node server.js <folder of the stores>`. It prints its address. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointStore } from "kumiko";
import { threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { eventLog } from "kumiko/ui";
import { type Backend, chatApp, listen } from "../chat-server.js";
import { marks, tripAgent } from "../trip.js";

const [folder = ""] = process.argv.slice(2);
const backends = new Map<string, Backend>();
/** After how many chunks of which chat it dies. */
let end: { readonly name: string; readonly at: number } | undefined;
let chunks = 0;

function backendOf(name: string): Backend {
  const known = backends.get(name);
  if (known !== undefined) return known;
  const note = (line: string): void => appendFileSync(join(folder, `${name}.log`), `${line}\n`);
  const store = noted(sqliteStore(join(folder, `${name}.db`)), note);
  const made = { store, agent: tripAgent({ store, note }), log: eventLog(store) };
  backends.set(name, made);
  return made;
}

/** Notes what a write has saved. Recorded events do not count: nothing goes on from them. */
function noted(inner: CheckpointStore, note: (line: string) => void): CheckpointStore {
  const saved = (id: string, data: Uint8Array): void => {
    if (id.startsWith("~events/")) return;
    const text = new TextDecoder().decode(data);
    for (const [line, mark] of Object.entries(marks)) if (text.includes(mark)) note(`saved ${line}`);
  };
  return {
    get: (id) => inner.get(id),
    put: async (id, data, ifVersion) => {
      const version = await inner.put(id, data, ifVersion);
      saved(id, data);
      return version;
    },
    append: async (id, data, ifVersion) => {
      const version = await inner.append?.(id, data, ifVersion);
      saved(id, data);
      return version ?? Number.NaN;
    },
    delete: (id, ifVersion) => inner.delete(id, ifVersion),
    list: (prefix) => inner.list(prefix),
    isOwnerAlive: async (owner) => (await inner.isOwnerAlive?.(owner)) ?? true,
  };
}

function counted(response: Response, request: Request): Response {
  const { name, at } = end ?? {};
  const [, chat, kind] = new URL(request.url).pathname.split("/");
  if (response.body === null || chat !== name || kind === "whole") return response;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    async transform(bytes, to) {
      for (const event of new TextDecoder().decode(bytes).split(/(?<=\n\n)/)) {
        if (chunks === at) {
          await new Promise((resolve) => setTimeout(resolve, 3)); // what was sent has left
          process.kill(process.pid, "SIGKILL");
        }
        chunks += 1;
        to.enqueue(new TextEncoder().encode(event));
      }
    },
  });
  return new Response(response.body.pipeThrough(counting), response);
}

const app = chatApp({ backend: backendOf, onResponse: counted });
app.get("/end/:name/:at", (context) => {
  end = { name: context.req.param("name"), at: Number(context.req.param("at")) };
  return context.text("");
});
app.get("/turns/:name", async (context) => {
  const statuses: string[] = [];
  for await (const { status } of threads(backendOf(context.req.param("name")).store).turns("t")) statuses.push(status);
  return context.json(statuses);
});
console.log((await listen(app)).url);
