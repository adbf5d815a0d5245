import type { ToolContext } from "../../components/tool.js";
import { type Fields, isFields, textIf } from "../../is.js";
import { toBase64 } from "../../schema/base64.js";
import { fieldsOf, listOf } from "./document.js";
import { invalidCredential, unknownScheme } from "./errors.js";
import type { OperationPlace } from "./operation-place.js";

/** A key or a token; for HTTP Basic, a user name and a password. */
export type OpenApiCredential = string | { readonly username: string; readonly password: string };

type CredentialSource =
  | OpenApiCredential
  | ((ctx: ToolContext) => OpenApiCredential | undefined | Promise<OpenApiCredential | undefined>);

/**
 * Credentials by the names of the document's `securitySchemes`, or functions that return them for each call; a name that the
 * document does not have is an error (`INVALID_OPTION`).
 */
export type OpenApiAuth = Readonly<Record<string, CredentialSource>>;

/** What a request gets so that the service knows who sends it. */
export interface Credentials {
  readonly headers: [name: string, value: string][];
  readonly query: [name: string, value: string][];
  readonly cookies: [name: string, value: string][];
}

interface NamedScheme {
  readonly name: string;
  readonly scheme: Fields;
  readonly source: CredentialSource;
}

/** Throws if a name is not a security scheme of the document: it would do nothing. */
export function checkAuth(document: Fields, auth: OpenApiAuth): void {
  const schemes = Object.keys(fieldsOf(fieldsOf(document.components).securitySchemes));
  for (const name of Object.keys(auth)) if (!schemes.includes(name)) throw unknownScheme(name, schemes);
}

/**
 * What identifies the calls of an operation: of the alternatives that it (or else the document) accepts, the first for which
 * there is something in `auth`. None of them: it is sent as it is, and the service says what it thinks of that.
 */
export function planSecurity(place: OperationPlace, auth: OpenApiAuth): (ctx: ToolContext) => Promise<Credentials> {
  const { document, operation, references } = place;
  const schemes = fieldsOf(fieldsOf(document.components).securitySchemes);
  const alternatives = listOf(operation.security ?? document.security).filter(isFields);
  const open = alternatives.filter((needed) => Object.keys(needed).every((name) => Object.hasOwn(auth, name)));
  // `{}` among them means that authentication is optional
  const known = open.find((needed) => Object.keys(needed).length > 0);
  const chosen = Object.keys(known ?? {}).flatMap((name): NamedScheme[] => {
    const source = auth[name];
    return source === undefined ? [] : [{ name, scheme: references.follow(schemes[name]), source }];
  });
  return async (ctx) => {
    const credentials: Credentials = { headers: [], query: [], cookies: [] };
    for (const { name, scheme, source } of chosen) {
      const credential = typeof source === "function" ? await source(ctx) : source;
      if (credential !== undefined) addCredential(credentials, name, scheme, credential);
    }
    return credentials;
  };
}

function addCredential(to: Credentials, name: string, scheme: Fields, given: OpenApiCredential): void {
  const type = textIf(scheme.type)?.toLowerCase();
  const http = textIf(scheme.scheme)?.toLowerCase();
  if (type === "http" && http === "basic") {
    if (typeof given === "string") throw invalidCredential(name, "{ username, password }");
    const { username, password } = given;
    const bytes = new TextEncoder().encode(`${username}:${password}`);
    to.headers.push(["authorization", `Basic ${toBase64(bytes)}`]);
    return;
  }
  if (typeof given !== "string") throw invalidCredential(name, "a string");
  if (type !== "apikey") {
    const prefix = type === "http" && http !== "bearer" ? (textIf(scheme.scheme) ?? "Bearer") : "Bearer";
    to.headers.push(["authorization", `${prefix} ${given}`]);
    return;
  }
  const key = textIf(scheme.name) ?? name;
  if (scheme.in === "query") to.query.push([key, given]);
  else if (scheme.in === "cookie") to.cookies.push([key, given]);
  else to.headers.push([key, given]);
}
