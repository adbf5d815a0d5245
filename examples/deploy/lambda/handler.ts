// AWS Lambda behind a function URL whose invoke mode is RESPONSE_STREAM: see template.yaml.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { postgresStore } from "kumiko/postgres";
import { createAssistant } from "../agent.js";
import { chatApp } from "../chat-app.js";

/** What the runtime of Lambda for Node.js has as a global. */
declare const awslambda: {
  streamifyResponse<Event>(handler: (event: Event, stream: Writable) => Promise<void>): unknown;
  readonly HttpResponseStream: { from(stream: Writable, head: ResponseHead): Writable };
};

interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request in the payload format 2.0, as far as it is used here. */
interface UrlEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

const store = postgresStore({ connectionString: process.env.DATABASE_URL ?? "postgres://localhost/postgres" });
const answers: Promise<unknown>[] = [];
const waitUntil = (answer: Promise<unknown>) => void answers.push(answer);
const timeoutMs = 110_000; // less than in template.yaml, so that a turn is ended, and not cut off
const app = chatApp({ agent: createAssistant(store), store, userOf: () => "guest", waitUntil, timeoutMs });

export const handler = awslambda.streamifyResponse(async (event: UrlEvent, stream) => {
  const { status, headers, body } = await app.fetch(requestOf(event));
  const out = awslambda.HttpResponseStream.from(stream, { statusCode: status, headers: Object.fromEntries(headers) });
  await pipeline(body === null ? Readable.from([""]) : Readable.fromWeb(body as never), out).catch(() => undefined);
  await Promise.all(answers.splice(0)); // the client may have left, and after this the process is frozen
});

function requestOf({ rawPath, rawQueryString, headers, requestContext, body, isBase64Encoded }: UrlEvent): Request {
  const { domainName, http } = requestContext;
  return new Request(`https://${domainName}${rawPath}${rawQueryString && `?${rawQueryString}`}`, {
    method: http.method,
    headers: Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])) as [
      string,
      string,
    ][],
    ...(body !== undefined && { body: isBase64Encoded ? Buffer.from(body, "base64") : body }),
  });
}
