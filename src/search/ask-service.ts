import { type Fields, isFields } from "../is.js";
import { refusalText, ToolCallError } from "../tools/define/tool-call-error.js";
import { searchUnreachable, searchUnreadable } from "./errors.js";
import type { Search } from "./search-tool.js";

/** A request to a search service. */
export interface ServiceRequest {
  /** The name of the service, for error messages. */
  readonly service: string;
  readonly url: URL;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Strings to hide in answers and errors, such as the key. */
  readonly secrets?: readonly string[];
  /** Whether to follow redirects. Must be `false` for requests that contain a key. @default false */
  readonly followsRedirects?: boolean;
}

/** Sends a request, and returns the text of the answer. Only status 200 is a success: some services use 202 for rate limits. */
export async function askService(request: ServiceRequest, { fetch, signal }: Search): Promise<string> {
  const { service, url, method = "GET", headers = {}, body, followsRedirects = false } = request;
  const hide = hider(request.secrets ?? []);
  const redirect = followsRedirects ? "follow" : "error";
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method, headers, signal, redirect, ...(body === undefined ? {} : { body }) });
    text = hide(await response.text());
  } catch (error) {
    signal.throwIfAborted();
    throw searchUnreachable(service, error, hide);
  }
  if (response.status === 200) return text;
  const wait = response.headers.get("retry-after");
  const statusText = `${response.statusText}${wait === null ? "" : ` (try again after ${wait})`}`.trim();
  const answer = parse(text) ?? text;
  const message = refusalText(`${service} (${url.host})`, response.status, statusText, answer);
  throw new ToolCallError(message, { source: "search", status: response.status, details: { body: answer } });
}

/** Sends a request, and returns the JSON object of the answer. */
export async function askServiceForJson(request: ServiceRequest, search: Search): Promise<Fields> {
  const text = await askService(request, search);
  const value = parse(text);
  if (isFields(value)) return value;
  throw searchUnreadable(request.service, "it is not a JSON object", text);
}

/** The results in an answer. */
export interface ResultList {
  readonly service: string;
  readonly answer: Fields;
  readonly list: unknown;
  /** Whether a missing list means that nothing was found. */
  readonly mayBeEmpty: boolean;
  /** The name of the field with the URL of a result. */
  readonly address: string;
}

/** Returns the results that have a URL. Throws if none has one, because the format of the service must have changed. */
export function requireResults({ service, answer, list, mayBeEmpty, address }: ResultList): readonly Fields[] {
  if ((list === undefined || list === null) && mayBeEmpty) return [];
  if (!Array.isArray(list)) throw searchUnreadable(service, "it has no list of results", JSON.stringify(answer));
  const found = list.filter(isFields).filter((result) => trimmedText(result[address]) !== "");
  if (found.length > 0 || list.length === 0) return found;
  throw searchUnreadable(service, `its results have no "${address}"`, JSON.stringify(answer));
}

export const trimmedText = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Hides secrets in a text, also in their URL-encoded form. */
function hider(secrets: readonly string[]): (text: string) => string {
  const all = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return (text) => all.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
