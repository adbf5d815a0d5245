import type { HttpMethod } from "./document.js";
import { type EncodedBody, encodeBody } from "./encode-body.js";
import { invalidHeader, unsafePathValue } from "./errors.js";
import type { OperationPlan } from "./operation.js";
import type { GivenHeaders } from "./options.js";
import type { Credentials } from "./security.js";
import { cookiePairs, headerText, pathText, queryText } from "./serialize.js";

/** Where an operation is sent. */
export interface Target {
  readonly base: string;
  readonly method: HttpMethod;
  readonly path: string;
}

export interface PlannedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: EncodedBody | undefined;
}

/** Headers and credentials set by the program. Arguments of the model never replace them. */
export interface OwnParts extends Credentials {
  readonly given: GivenHeaders;
}

export function makeRequest(
  { base, method, path }: Target,
  { parameters, body }: OperationPlan,
  input: Readonly<Record<string, unknown>>,
  own: OwnParts,
): PlannedRequest {
  const headers = new Headers({ accept: "application/json, text/*;q=0.9, */*;q=0.8" });
  const query: string[] = [];
  const cookies: (readonly [string, string])[] = [];
  const inPath = new Map<string, string>();
  const ownQuery = new Set([...new URL(base).searchParams.keys(), ...own.query.map(([name]) => name)]);
  for (const [argument, parameter] of parameters) {
    const value = Object.hasOwn(input, argument) ? input[argument] : undefined;
    if (value === undefined) continue;
    if (parameter.in === "path") inPath.set(parameter.name, pathText(parameter, value));
    else if (parameter.in === "header") setHeader(headers, parameter.name, headerText(parameter, value));
    else if (parameter.in === "cookie") cookies.push(...cookiePairs(parameter, value));
    else query.push(queryText(parameter, value, ownQuery));
  }
  for (const [name, value] of own.query) query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + fillPath(path, inPath);
  url.search = [url.search.slice(1), ...query].filter((part) => part !== "").join("&");
  const sent = body === undefined || input.body === undefined ? undefined : encodeBody(body, input.body);
  // the type of a multipart form names its boundary, which only `fetch` knows
  if (body !== undefined && sent !== undefined && !(sent instanceof FormData))
    headers.set("content-type", body.mediaType);
  addOwn(headers, cookies, own);
  // only `fetch` knows the length of the encoded body
  for (const name of ["content-length", "transfer-encoding"]) headers.delete(name);
  if (sent instanceof FormData) headers.delete("content-type");
  return { url: url.href, method: method.toUpperCase(), headers, body: sent };
}

function addOwn(headers: Headers, cookies: readonly (readonly [string, string])[], own: OwnParts): void {
  const given = own.given instanceof Headers ? own.given : Object.entries(own.given);
  for (const [name, value] of [...own.headers, ...given]) if (value !== undefined) setHeader(headers, name, value);
  const inHeader = headers.get("cookie")?.split(/;\s*/) ?? [];
  const ownCookies = [...inHeader, ...own.cookies.map(([name, value]) => `${name}=${value}`)];
  const taken = new Set(ownCookies.map((cookie) => cookie.split("=", 1)[0]));
  const others = cookies.filter(([name]) => !taken.has(name)).map(([name, value]) => `${name}=${value}`);
  if (ownCookies.length + others.length > 0) setHeader(headers, "cookie", [...ownCookies, ...others].join("; "));
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw invalidHeader(name);
  }
}

/** Fills in the path. Throws for values that are empty, `.` or `..`, because they would address another operation. */
function fillPath(path: string, values: ReadonlyMap<string, string>): string {
  const segments = path.split("/").map((segment) => {
    if (!segment.includes("{")) return segment;
    let name = "";
    const filled = segment.replace(/\{([^{}]+)\}/g, (_whole, found: string) => {
      name = found;
      return values.get(found) ?? "";
    });
    if (filled === "" || /^(\.|%2e){1,2}$/i.test(filled)) throw unsafePathValue(name, values.get(name));
    return filled;
  });
  return segments.join("/");
}
