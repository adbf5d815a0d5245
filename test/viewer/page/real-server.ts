// viewer() behind node:http, with a graph that asks, an agent whose tool needs an approval, and one that streams.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { createTool, END, functionToolCall, Graph, memoryStore, START } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { type Access, type ViewerOptions, viewer } from "kumiko/viewer";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** Reads a ticket, asks what happens to it, and writes a letter. A ticket about fire can only be read at the second try. */
export function desk() {
  let fires = 0;
  return new Graph<Ticket, string>({ input: ticket })
    .withState(() => ({ notes: ["opened"] }))
    .addNode("read", ({ id, body }: Ticket) => {
      if (body.includes("fire") && fires++ === 0) throw new Error("The printer is on fire.");
      return `${id}: ${body}`;
    })
    .addNode("sign", async (text: string, ctx) => {
      const question = { title: `Close ${text.split(":")[0]}?`, apiKey: "k-1" };
      const schema = z.object({ decision: z.enum(["close", "reopen"]), note: z.string().max(20).optional() });
      const { decision, note } = await ctx.ask("sign", question, schema);
      return `${text} → ${decision}${note === undefined ? "" : `, ${note}`}`;
    })
    .addNode("letter", (text: string) => `Dear customer, ${text}.`)
    .addEdge(START, "read")
    .addEdge("read", "sign")
    .addEdge("sign", "letter")
    .addEdge("letter", END)
    .compile({ name: "desk", store: memoryStore(), durability: "step", history: true, keepCheckpoint: true });
}

interface Ticket {
  readonly id: string;
  readonly body: string;
}

const ticket = z.object({ id: z.string().describe("Such as T-1"), body: z.string() });

/** An agent that wants to pay: what is paid, and how often, is told to `onPaid`. */
export function clerk(onPaid: (sum: number) => void) {
  const pay = createTool({
    id: "pay",
    description: "Pays a customer.",
    inputSchema: z.object({ sum: z.number().max(100), reason: z.string() }),
    requireApproval: true,
    execute: ({ sum }) => {
      onPaid(sum);
      return `paid ${sum}`;
    },
  });
  const call = functionToolCall({ callId: "c-1", name: "pay", arguments: '{"sum":50,"reason":"a late parcel"}' });
  const model = scriptedModel([call], "It is paid.");
  return createAgent({ name: "clerk", model, tools: [pay], store: memoryStore(), history: true });
}

/** An agent that says a word whenever `next` is called. */
export function teller() {
  let release: () => void = () => undefined;
  const next = (): void => release();
  async function* words() {
    for (const text of ["Once ", "upon ", "a time."]) {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      const block = { type: "assistant_gen_text" as const, text, streamingMeta: { index: 0 } };
      yield { role: "assistant" as const, contentBlocks: [block] };
    }
  }
  const model = scriptedModel(() => words());
  return { next, agent: createAgent({ name: "teller", model, store: memoryStore(), history: true }) };
}

/** A graph whose only node ends when it is told to, or when its run is stopped. */
export function waiter() {
  const begun: (() => void)[] = [];
  const app = new Graph<string, string>()
    .addNode("wait", (text: string, { signal }) => {
      return new Promise<string>((resolve, reject) => {
        begun.push(() => resolve(text.toUpperCase()));
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    })
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile({ name: "waiter", store: memoryStore(), durability: "step", history: true, keepCheckpoint: true });
  return { app, finish: () => begun.pop()?.() };
}

/** Serves apps until the test is over. */
export async function serveApps(options: Partial<ViewerOptions>, access: Access = { can: "act", user: "ada" }) {
  const shown = viewer({ authorize: () => access, ...options });
  const server = createServer((request, response) => void answer(request, response, shown.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  onTestFinished(async () => {
    await shown.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { shown, url: `http://127.0.0.1:${port}/` };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const { method = "GET", headers, url = "/" } = request;
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = method === "POST" ? { body: Readable.toWeb(request) as NodeStream<Uint8Array>, duplex: "half" } : {};
  const answered = await fetch(
    new Request(`http://${headers.host}${url}`, { method, headers: given, ...body } as RequestInit),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) {
    response.end();
    return;
  }
  const source = Readable.fromWeb(answered.body as NodeStream<Uint8Array>);
  response.on("close", () => source.destroy());
  source.on("error", () => response.destroy());
  source.pipe(response);
}
