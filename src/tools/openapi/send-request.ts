import { cannotReach, redirectUnreadable, tooManyRedirects } from "./errors.js";
import type { PlannedRequest } from "./request.js";

export interface SendOptions {
  /** How errors call the request. */
  readonly name: string;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];
const mostRedirects = 10;

/**
 * Sends a request and follows redirects by hand: `fetch` would take keys and tokens in headers, and the body, to any other
 * origin. Such a one is asked without them, and only where nothing but headers is lost.
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
    throw signal.aborted ? error : cannotReach(name, error);
  }
  if (response.type === "opaqueredirect") throw redirectUnreadable(name);
  return response;
}

/** What to ask instead, if that is allowed; the answer stays the answer otherwise. */
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

/** As the standard of `fetch` has it. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}

function reading(request: PlannedRequest): PlannedRequest {
  const headers = new Headers(request.headers);
  headers.delete("content-type");
  return { ...request, method: "GET", headers, body: undefined };
}
