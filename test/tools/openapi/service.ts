import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string | undefined;
  /** Path and query, as they came. */
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** A real HTTP server on this machine, which keeps what it gets. */
export async function startService(answer: (request: Received) => Answer | Promise<Answer> = () => ({})) {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    const { method, url, headers } = incoming;
    const request = { method, url, headers, body };
    received.push(request);
    const answered = await answer(request);
    response.writeHead(answered.status ?? 200, answered.headers ?? {}).end(answered.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { baseUrl: `http://127.0.0.1:${port}`, received, close };
}

export const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});
