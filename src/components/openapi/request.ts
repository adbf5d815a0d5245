import { fieldsOf, type HttpMethod, isFields, textOf } from "./document.js";
import { invalidHeader, unsafePathValue } from "./errors.js";
import type { BodyPlan, OperationPlan } from "./operation.js";
import { headerText, pathText, queryPairs, queryText } from "./serialize.js";

/** Where an operation is. */
export interface Target {
  readonly base: string;
  readonly method: HttpMethod;
  readonly path: string;
}

export interface PlannedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** Makes the request of a call. The `headers` come last: no argument of a model replaces them. */
export function makeRequest(
  { base, method, path }: Target,
  { parameters, body }: OperationPlan,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): PlannedRequest {
  const own = new Headers({ accept: "application/json, text/*;q=0.9, */*;q=0.8" });
  const query: string[] = [];
  const inPath = new Map<string, string>();
  for (const [argument, parameter] of parameters) {
    const value = Object.hasOwn(input, argument) ? input[argument] : undefined;
    if (value === undefined) continue;
    if (parameter.in === "path") inPath.set(parameter.name, pathText(parameter, value));
    else if (parameter.in === "query") query.push(queryText(parameter, value));
    else setHeader(own, parameter.name, headerText(parameter, value));
  }
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + fillPath(path, inPath);
  url.search = [url.search.slice(1), ...query].filter((part) => part !== "").join("&");
  const sent = body === undefined || input.body === undefined ? undefined : bodyText(body, input.body);
  if (body !== undefined && sent !== undefined) own.set("content-type", body.mediaType);
  for (const [name, value] of Object.entries(headers)) setHeader(own, name, value);
  return { url: url.href, method: method.toUpperCase(), headers: own, body: sent };
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw invalidHeader(name);
  }
}

/** A value that is nothing, or that means "up" in a path, would call another operation. */
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

function bodyText({ kind, encoding }: BodyPlan, value: unknown): string {
  if (kind === "json") return JSON.stringify(value);
  if (kind === "text" || !isFields(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const form = new URLSearchParams();
  for (const [name, field] of Object.entries(value)) {
    const { style: given, explode = true } = fieldsOf(encoding[name]);
    const style = textOf(given) ?? "form";
    // a form has no other way to hold what is nested
    const isJson = given === undefined && isFields(field);
    for (const pair of queryPairs({ name, style, explode: explode === true, isJson, allowReserved: false }, field))
      form.append(...pair);
  }
  return form.toString();
}
