import { type Fields, isFields } from "../is.js";
import { HttpStatusError } from "../tools/openapi/errors.js";
import { searchUnreachable, searchUnreadable } from "./errors.js";
import type { Search } from "./search-tool.js";

/** A request to a service, and the parts of it that are secret. */
export interface ServiceRequest {
  /** What users call it. */
  readonly service: string;
  readonly url: URL;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly secrets?: readonly string[];
  /** Whether the service may send on to another address. Keys must not go there. @default false */
  readonly followsRedirects?: boolean;
}

/** The text of an answer. Only 200 is a success: some services answer 202 when there were too many requests. */
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
  throw new HttpStatusError(`${service} (${url.host})`, response.status, statusText, parse(text) ?? text);
}

/** An answer that is an object of JSON. */
export async function askServiceForJson(request: ServiceRequest, search: Search): Promise<Fields> {
  const text = await askService(request, search);
  const value = parse(text);
  if (isFields(value)) return value;
  throw searchUnreadable(request.service, "it is not an object of JSON", text);
}

/** How a service names its results. */
export interface ResultList {
  readonly service: string;
  readonly answer: Fields;
  readonly list: unknown;
  /** Whether the answer may be one that found nothing, and has no list then. */
  readonly mayBeEmpty: boolean;
  /** The field of a result that has its address. */
  readonly address: string;
}

/** The objects of a list, those that have an address. Throws when none has one: the service has changed then. */
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

/** Takes secrets out of a text, also where they are encoded for an address. */
function hider(secrets: readonly string[]): (text: string) => string {
  const all = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return (text) => all.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
