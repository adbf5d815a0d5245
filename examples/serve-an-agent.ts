// An agent behind node:http: it sends events to browsers. Runs continue when the connection is lost, and clients can
// reconnect.
// expect: first: start, step_start
// expect: the client has left
// expect: after run:1 come text_delta, text_delta, text_delta, message, step_finish, finish
// expect: text: It is 21 degrees.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { assistantMessage, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { assistantGenText } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { eventLog, sse } from "kumiko/ui";

const store = memoryStore(); // sqliteStore("app.db") or postgresStore(…) in production
const log = eventLog(store);
const chunks = ["It ", "is ", "21 degrees."].map((text) =>
  assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })),
);
const agent = createAgent({ name: "weather", model: scriptedModel(chunks), store });

// --- the server --------------------------------------------------------------------------------------------------------

const server = createServer(async (request, response) => {
  const threadId = new URL(request.url ?? "/", "http://localhost").pathname.slice(1);
  const after = request.headers["last-event-id"];
  const answer =
    typeof after === "string"
      ? await sse(log.replay(threadId, { after }))
      : await sse(log.record(threadId, agent.stream("How warm is it?", { threadId })));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const body = Readable.fromWeb(answer.body as never);
  response.on("close", () => body.destroy());
  body.on("error", () => response.destroy());
  body.pipe(response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/u-1`;

// --- a client that loses its connection -----------------------------------------------------------------------------------

const connection = new AbortController();
const response = await fetch(url, { signal: connection.signal });
let text = "";
for await (const chunk of response.body ?? []) {
  text += new TextDecoder().decode(chunk);
  if (text.includes('"step_start"')) break;
}
connection.abort();
const eventsIn = (events: string): { readonly type: string; readonly delta?: string }[] =>
  [...events.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
const typesIn = (events: string): string =>
  eventsIn(events)
    .map(({ type }) => type)
    .join(", ");
console.log(`first: ${typesIn(text.split("\n\n", 2).join("\n\n"))}`);
console.log("the client has left");

// --- and reconnects ---------------------------------------------------------------------------------------------------------

const run = /^id: (.*):1$/m.exec(text)?.[1] ?? "";
const rest = await (await fetch(url, { headers: { "last-event-id": `${run}:1` } })).text();
console.log(`after run:1 come ${typesIn(rest)}`);
console.log(
  `text: ${eventsIn(rest)
    .map(({ delta = "" }) => delta)
    .join("")}`,
);
server.close();
