// A server that speaks as the Responses API of OpenAI does; a test writes its answers, piece by piece.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One call of the model, which a test answers. */
export class OpenAiCall {
  /** The texts of the messages that were sent. */
  readonly asked: readonly string[];
  /** Settles when the answer was left by who asked. */
  readonly left: Promise<unknown>;
  readonly #response: ServerResponse;
  #text = "";

  constructor(body: string, response: ServerResponse) {
    this.asked = textsIn(JSON.parse(body));
    this.#response = response;
    this.left = once(response, "close");
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.#send("response.created", { response: { id: "resp_1", created_at: 1, model: "gpt-5" } });
    this.#send("response.output_item.added", { output_index: 0, item: { type: "message", id: "msg_1" } });
  }

  write(delta: string): void {
    this.#text += delta;
    this.#send("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta });
  }

  end(delta: string): void {
    this.write(delta);
    const content = [{ type: "output_text", text: this.#text, annotations: [] }];
    const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
    this.#send("response.output_item.done", { output_index: 0, item });
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    this.#send("response.completed", { response: { id: "resp_1", created_at: 1, model: "gpt-5", usage } });
    this.#response.end();
  }

  #send(type: string, fields: object): void {
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  }
}

function textsIn(body: unknown): string[] {
  const { input } = body as { input: { role?: string; content?: string | { text?: string }[] }[] };
  return input.flatMap(({ content = [] }) =>
    typeof content === "string" ? content : content.map(({ text = "" }) => text),
  );
}

export class OpenAiServer {
  readonly #calls: OpenAiCall[] = [];
  readonly #waiting: ((call: OpenAiCall) => void)[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The next call, once it is there. */
  called(): Promise<OpenAiCall> {
    const call = this.#calls.shift();
    return call === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(call);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const call = new OpenAiCall(body, response);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#calls.push(call);
    else waiting(call);
  }
}
