import { redirectUnreadable, serviceUnreachable, tooManyRedirects } from "./errors.js";
import type { PlannedRequest } from "./request.js";

export interface SendOptions {
  /** The name of the request in errors. */
  readonly name: string;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];
const mostRedirects = 10;

/**
 * Sends a request and follows redirects itself, because `fetch` would send keys and tokens in headers, and the body, to another origin
 * too. Another origin gets no headers, and a request with a body is not redirected there.
 */
export async function sendRequest(request: PlannedRequest, options: SendOptions): Promise<Response> {
  let next: PlannedRequest | undefined = request;
  for (let left = mostRedirects; left >= 0; left--) {
    const response = await send(next, options);
    next = redirected(next, response);
    if (next === undefined) return response;
    await response.body?.cancel();
  }
  throw tooManyRedirects(options.name);
}

async function send(request: PlannedRequest, { name, fetch, signal }: SendOptions): Promise<Response> {
  const { url, method, headers, body = null } = request;
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
  } catch (error) {
    throw signal.aborted ? error : serviceUnreachable(name, error);
  }
  if (response.type === "opaqueredirect") throw redirectUnreadable(name);
  return response;
}

/** The request to send instead, if that is allowed; otherwise the redirect is the answer. */
function redirected(request: PlannedRequest, { status, headers }: Response): PlannedRequest | undefined {
  const location = headers.get("location");
  if (location === null || !redirects.includes(status) || !URL.canParse(location, request.url)) return undefined;
  const url = new URL(location, request.url);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  const reads = becomesGet(request.method, status) ? reading(request) : request;
  const isSameOrigin = url.origin === new URL(request.url).origin;
  if (isSameOrigin) return { ...reads, url: url.href };
  if (reads.method !== "GET" && reads.method !== "HEAD") return undefined;
  return { ...reads, url: url.href, headers: new Headers({ accept: request.headers.get("accept") ?? "*/*" }) };
}

/** According to the standard of `fetch`. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}

function reading(request: PlannedRequest): PlannedRequest {
  const headers = new Headers(request.headers);
  headers.delete("content-type");
  return { ...request, method: "GET", headers, body: undefined };
}
