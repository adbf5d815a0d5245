import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

export interface ServedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown> | undefined;
  readonly signal: AbortSignal;
  readonly tell: (progress: number, message: string) => Promise<void>;
}

/** The real client of the SDK, connected to its real server, which lists `pages` and answers by `call`. */
export async function connect(
  pages: readonly (readonly Tool[])[],
  call: (call: ServedCall) => CallToolResult | Promise<CallToolResult>,
) {
  const server = new Server({ name: "served", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
    return { tools: [...(pages[page] ?? [])], ...next };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification, _meta }) =>
    call({
      name: params.name,
      arguments: params.arguments,
      signal,
      tell: async (progress, message) => {
        const progressToken = _meta?.progressToken;
        if (progressToken === undefined) throw new Error("nobody asked for progress");
        await sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } });
      },
    }),
  );
  const client = new Client({ name: "tested", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

export const tool = (name: string, fields: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...fields,
});
