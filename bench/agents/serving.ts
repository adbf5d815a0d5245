import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { type AgenticModel, assistantMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { uiMessageStream } from "kumiko/ui";
import type { Work } from "../contender.js";
import type { AgentWorks } from "./tasks.js";

const CONNECTIONS = 100;
export const REQUESTS = 300;
const texts = Array.from({ length: 20 }, (_, n) => `piece ${n} `);

async function* pieces() {
  for (const text of texts) {
    yield assistantMessage([{ type: "assistant_gen_text", text, streamingMeta: { index: 0 } }]);
  }
}
const model: AgenticModel = {
  component: "model",
  generate: async () => assistantMessage(texts.join("")),
  stream: pieces,
};

/** The smallest loop that sends the same texts. */
export const serveBare: AgentWorks = {
  ui: () =>
    served(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
      send({ type: "start" });
      for await (const { contentBlocks } of pieces()) {
        const [block] = contentBlocks;
        if (block?.type === "assistant_gen_text") send({ type: "text-delta", id: "1", delta: block.text });
      }
      send({ type: "finish" });
      response.end("data: [DONE]\n\n");
    }),
};

export const serveAgent: AgentWorks = {
  ui: () => {
    const agent = createAgent({ model });
    return served(async (_request, response) => {
      const { headers, body } = await uiMessageStream(agent.stream("Hi"));
      response.writeHead(200, Object.fromEntries(headers));
      Readable.fromWeb(body as ReadableStream).pipe(response);
    });
  },
};

/** So many requests by a client in a process of its own, which counts the answers that are whole. */
function served(listener: RequestListener): Work {
  const opened = open(listener);
  return async () => {
    const { client, port } = await opened;
    // nothing else keeps the process alive meanwhile
    const alive = setInterval(() => undefined, 1_000);
    client.send({ port, connections: CONNECTIONS, requests: REQUESTS });
    const [whole] = await once(client, "message");
    clearInterval(alive);
    return whole;
  };
}

async function open(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const client = spawn(process.execPath, ["--input-type=module", "--eval", clientSource], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  client.unref();
  (client.channel as { unref?(): void } | undefined)?.unref?.();
  return { client, port: (server.address() as AddressInfo).port };
}

const clientSource = `
import { Agent, get } from "node:http";
const agents = new Map();
process.on("disconnect", () => process.exit());
process.on("message", async ({ port, connections, requests }) => {
  const agent = agents.get(port) ?? new Agent({ keepAlive: true, maxSockets: connections });
  agents.set(port, agent);
  const one = () => new Promise((settle) => {
    get({ host: "127.0.0.1", port, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => { text += chunk; });
      response.on("end", () => settle(text.includes("piece 19 ") && text.endsWith("[DONE]\\n\\n")));
    }).on("error", () => settle(false));
  });
  const answers = await Promise.all(Array.from({ length: requests }, one));
  process.send(answers.filter(Boolean).length);
});
`;
