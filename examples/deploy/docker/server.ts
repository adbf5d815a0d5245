// One of several equal instances. Each answers requests, and goes on with what an instance that is gone has left.
import { once } from "node:events";
import { serve } from "@hono/node-server";
import { startWorker } from "kumiko/durable";
import { postgresStore } from "kumiko/postgres";
import { eventLog } from "kumiko/ui";
import { createAssistant } from "../agent.js";
import { chatApp } from "../chat-app.js";

/** How long answers may go on after SIGTERM: less than the platform waits before it kills. */
const stopMs = Number(process.env.STOP_MS ?? 20_000);

const store = postgresStore({ connectionString: process.env.DATABASE_URL ?? "postgres://localhost/postgres" });
const assistant = createAssistant(store);
const log = eventLog(store);
const answers = new Set<Promise<unknown>>();
let isStopping = false;

const app = chatApp({ agent: assistant, store, log, userOf: () => "guest", waitUntil: keep });
app.get("/health", async (c) => {
  await store.get("health"); // fails if the database is away
  return c.text("ok");
});

const worker = startWorker(
  { assistant },
  { options: ({ threadId }) => (threadId === undefined ? {} : { record: log }) },
);
// while it stops, the proxy asks another instance
const answer = (request: Request) => (isStopping ? new Response("stopping", { status: 503 }) : app.fetch(request));
const { PORT = 3000, HOST = "0.0.0.0" } = process.env;
const server = serve({ fetch: answer, port: Number(PORT), hostname: HOST });
await once(server, "listening");
console.log("It listens on", server.address());
process.once("SIGTERM", stop);

function keep(answer: Promise<unknown>): void {
  answers.add(answer);
  void answer.finally(() => answers.delete(answer));
}

/** What has not ended by then is gone on with by the worker of another instance. */
async function stop(): Promise<void> {
  isStopping = true;
  const time = new Promise((resolve) => setTimeout(resolve, stopMs));
  await Promise.all([Promise.race([Promise.all(answers), time]), worker.stop({ timeoutMs: stopMs })]);
  server.close();
  await store.close();
  process.exit();
}
