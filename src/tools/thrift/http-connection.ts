import { refusalText, ToolCallError } from "../define/tool-call-error.js";
import type { ThriftCall, ThriftConnection, ThriftHttpOptions, ThriftProtocol } from "./connection.js";
import {
  answerTooLarge,
  connectionClosed,
  invalidThriftValue,
  passwordInConnectionAddress,
  redirectRefused,
  thriftAnswerUnreadable,
  thriftServerUnreachable,
} from "./errors.js";

interface Settings extends ThriftHttpOptions {
  readonly protocol: ThriftProtocol;
  readonly maxResponseBytes: number;
}

/** One request of HTTP for each call. */
export class HttpConnection implements ThriftConnection {
  readonly protocol: ThriftProtocol;
  readonly address: string;
  readonly #settings: Settings;
  readonly #closing = new AbortController();

  constructor(settings: Settings) {
    const given = String(settings.url);
    if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
      throw invalidThriftValue("thriftConnection", "url", "an http or https address", given);
    const { username, password, origin, pathname } = new URL(given);
    if (username !== "" || password !== "") throw passwordInConnectionAddress();
    this.protocol = settings.protocol;
    // a query may hold a key
    this.address = `${origin}${pathname}`;
    this.#settings = settings;
  }

  async exchange(message: Uint8Array, { method, isOneway, ctx }: ThriftCall): Promise<Uint8Array> {
    const { url, fetch = globalThis.fetch, maxResponseBytes } = this.#settings;
    const signal = AbortSignal.any([ctx.signal, this.#closing.signal]);
    const headers = await this.#headers(ctx);
    ctx.signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw connectionClosed(method, this.address);
    let isAnswered = false;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: Uint8Array.from(message),
        signal,
        redirect: "manual",
      });
      isAnswered = true;
      if (!response.ok) throw await refusal(`${method} at ${this.address}`, method, this.address, response);
      const bytes = await readBytes(response, maxResponseBytes, method, this.address);
      return isOneway ? new Uint8Array() : bytes;
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (this.#closing.signal.aborted) throw connectionClosed(method, this.address);
      if (isAnswered && error instanceof Error && "code" in error && error.code === "TOOL_FAILED") throw error;
      throw thriftServerUnreachable(method, this.address, error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  async #headers(ctx: ThriftCall["ctx"]): Promise<Headers> {
    const { headers: given = {} } = this.#settings;
    const own = typeof given === "function" ? await given(ctx) : given;
    const headers = new Headers({ "content-type": "application/x-thrift", accept: "application/x-thrift" });
    const pairs: Iterable<readonly [string, string | undefined]> = own instanceof Headers ? own : Object.entries(own);
    for (const [name, value] of pairs) if (value !== undefined) headers.set(name, value);
    return headers;
  }
}

async function refusal(request: string, method: string, address: string, response: Response): Promise<Error> {
  const { status, statusText, type } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    return redirectRefused(method, address, status);
  }
  const body = await response.text();
  const message = refusalText(request, status, statusText, body);
  return new ToolCallError(message, { source: "thrift", status, details: { method, body } });
}

async function readBytes(response: Response, limit: number, method: string, address: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) throw thriftAnswerUnreadable(method, address, answerTooLarge(size, limit));
  }
  return Buffer.concat(chunks);
}
