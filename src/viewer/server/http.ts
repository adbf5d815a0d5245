import { KumikoError, messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import type { Failure } from "../api.js";
import { withoutSecrets } from "../wire-value.js";

/** An answer of the server that is not what was asked for. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Failure["error"]["fields"];

  constructor(status: number, code: string, message: string, fields?: Failure["error"]["fields"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

const common = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** A response with the headers that all have. Data is never stored. */
export function respond(body: BodyInit | null, type: string, status = 200, cache = "no-store"): Response {
  const headers = { ...common, "content-type": type, "cache-control": cache };
  return new Response(body, { status, headers });
}

export function json(value: unknown, status = 200): Response {
  return respond(JSON.stringify(value), "application/json; charset=utf-8", status);
}

/** What a failure looks like to the page. What is no refusal and no error of this library says nothing of itself. */
export function failure(error: unknown): Response {
  const { status, code, message, fields } = describeFailure(error);
  const response = json(
    { error: { code, message, ...(fields !== undefined && { fields }) } } satisfies Failure,
    status,
  );
  if (code === "THREAD_BUSY") response.headers.set("retry-after", "1");
  return response;
}

function describeFailure(error: unknown): {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields?: Failure["error"]["fields"];
} {
  if (error instanceof Refusal) return error;
  if (!KumikoError.is(error)) return { status: 500, code: "FAILED", message: "Something went wrong in the server." };
  return { status: statuses.get(error.code) ?? 500, code: error.code, message: withoutSecrets(messageOf(error)) };
}

/** By code, as for responses of agents; the rest are failures of the server. */
const statuses = new Map<string, number>(
  Object.entries({
    400: ["INVALID_REQUEST", "INVALID_OPTION", "INVALID_MESSAGE", "ANSWER_MISMATCH", "NO_USER", "VALIDATION"],
    404: ["UNKNOWN_CHECKPOINT", "UNKNOWN_MESSAGE", "UNKNOWN_ENTRY", "THREAD_OF_OTHER_USER", "NO_HISTORY"],
    409: [
      ...["THREAD_BUSY", "THREAD_WAITING", "ALREADY_ANSWERED", "UNKNOWN_INTERRUPT", "AMBIGUOUS_INTERRUPT"],
      ...["CHECKPOINT_IN_USE", "CHECKPOINT_PENDING", "CHECKPOINT_CONFLICT", "GRAPH_CHANGED", "UNKNOWN_TOOL"],
      ...["NOT_EDITABLE", "NO_STORE"],
    ],
  }).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
);

/** Throws unless a request that changes something comes from our own page. */
export function checkSender(request: Request, origin: string): void {
  const site = request.headers.get("sec-fetch-site");
  const from = request.headers.get("origin");
  if ((site !== null && site !== "same-origin") || (from !== null && from !== origin))
    throw new Refusal(403, "FORBIDDEN", "The request comes from another site.");
}

const longestBody = 5_000_000;

/** The JSON object in the body of a request. */
export async function bodyOf(request: Request, longest = longestBody): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new Refusal(415, "NOT_JSON", "Send JSON.");
  const text = await textOf(request, longest);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, "NOT_JSON", "The body is not JSON.");
  }
  if (!isFields(body)) throw new Refusal(400, "NOT_JSON", "The body must be a JSON object.");
  return body;
}

/** Reads no more than is allowed, whatever the request says of its length. */
async function textOf(request: Request, longest: number): Promise<string> {
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  let size = 0;
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > longest) {
      void reader?.cancel().catch(() => undefined);
      throw new Refusal(413, "TOO_LARGE", `The body is larger than ${longest / 1_000_000} MB.`);
    }
    pieces.push(decoder.decode(read.value, { stream: true }));
  }
  return pieces.join("") + decoder.decode();
}

/** A field of a body that must be text. */
export function textIn(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Refusal(400, "INVALID_REQUEST", `${name} must be a string that is not empty.`);
}
