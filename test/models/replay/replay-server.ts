import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How an answer is sent. */
export interface Delivery {
  /** How many bytes are sent at a time. @default all */
  readonly pieces?: number | undefined;
  /** Stops after so many bytes. */
  readonly cutAfter?: number | undefined;
  /** Whether the connection breaks there, or the body ends as if it were whole. @default "connection" */
  readonly cut?: "connection" | "body" | undefined;
  /** Sends so many bytes and then keeps the connection open without a word. */
  readonly stallAfter?: number | undefined;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Answer extends Delivery {
  readonly body: string;
  readonly contentType: string;
}

/** One request that came in. */
export interface SeenRequest {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** A model service on a free port of this machine that gives the answers it is told to. */
export class ReplayServer {
  readonly requests: SeenRequest[] = [];
  /** Resolves when the client has gone before its answer was complete. */
  readonly left: Promise<void>;
  readonly #answers: Answer[] = [];
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  #leave: () => void = () => undefined;

  constructor() {
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** What the next requests get, one each; the last one answers all that follow. */
  answer(...answers: readonly Answer[]): void {
    this.#answers.splice(0, this.#answers.length, ...answers);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    this.requests.push({
      url: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    });
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    if (answer === undefined) {
      response.writeHead(500).end("no answer was prepared");
      return;
    }
    response.on("close", () => {
      if (!response.writableEnded) this.#leave();
    });
    await send(response, answer);
  }
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const { body, contentType, cutAfter, cut = "connection", stallAfter, status = 200, headers = {} } = answer;
  response.writeHead(status, { "content-type": contentType, ...headers });
  const bytes = Buffer.from(body).subarray(0, cutAfter ?? stallAfter);
  const { pieces = bytes.length } = answer;
  for (let at = 0; at < bytes.length; at += pieces) await write(response, bytes.subarray(at, at + pieces));
  if (stallAfter !== undefined) return;
  // without the end that the encoding of the body wants
  if (cutAfter !== undefined && cut === "connection") response.socket?.end();
  else response.end();
}

/** Waits until the bytes have left. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.write(bytes, () => resolve());
  });
}
