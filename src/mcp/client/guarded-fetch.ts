import { answerTooLarge } from "../errors.js";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** More than this is no answer, and no event. */
export const largestAnswer = 16 * 1024 * 1024;

/** A request that no server has answered: the network, and not the protocol, has failed. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/**
 * Sends the given headers to one origin only, wherever it is sent on, and reads no answer or event without an end. (What an
 * `authProvider` sends to whom is up to the SDK, which follows no redirect to another origin.)
 */
export function guardedFetch(endpoint: URL, headers: Readonly<Record<string, string>>, base: Fetch = fetch): Fetch {
  return async (url, init) => {
    const sent = new Headers(init?.headers);
    if (new URL(url).origin === endpoint.origin) {
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    }
    let response: Response;
    try {
      response = await base(url, { ...init, headers: sent });
    } catch (cause) {
      if (init?.signal?.aborted) throw cause;
      throw new Unreachable(`The request to ${new URL(url).origin} failed: ${causeOf(cause)}`, { cause });
    }
    return limited(response);
  };
}

/** `fetch failed` says nothing: what it was stands in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code: unknown = Reflect.get(cause, "code");
  return cause.message !== "" ? cause.message : typeof code === "string" ? code : error.message;
}

function limited(response: Response): Response {
  if (!response.ok || response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(countBytes(isStream)), { status, statusText, headers });
}

const lineFeed = 10;
const carriageReturn = 13;

/** Of a stream of events each is counted alone: an empty line ends it. */
function countBytes(perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  let lineIsEmpty = false;
  return new TransformStream({
    transform(chunk, controller) {
      if (perEvent) {
        for (const [index, byte] of chunk.entries()) {
          if (byte === carriageReturn) continue;
          if (byte !== lineFeed) lineIsEmpty = false;
          else if (lineIsEmpty) count = -index - 1;
          else lineIsEmpty = true;
        }
      }
      count += chunk.byteLength;
      if (count > largestAnswer) throw answerTooLarge(largestAnswer);
      controller.enqueue(chunk);
    },
  });
}
