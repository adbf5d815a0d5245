import type { ToolContext } from "../../components/tool.js";
import { type Fields, isFields, textIf } from "../../is.js";
import { toBase64 } from "../../schema/base64.js";
import { fieldsOf, listOf } from "./document.js";
import { invalidCredential, unknownScheme } from "./errors.js";
import type { OperationPlace } from "./operation-place.js";

/** A key or a token; for HTTP Basic, a user name and a password. */
export type OpenApiCredential = string | { readonly username: string; readonly password: string };

/** @internal */
type CredentialSource =
  | OpenApiCredential
  | ((ctx: ToolContext) => OpenApiCredential | undefined | Promise<OpenApiCredential | undefined>);

/**
 * Credentials by the names of the document's `securitySchemes`, or functions that return them for each call; a name that the
 * document does not have is an error (`INVALID_OPTION`).
 */
export type OpenApiAuth = Readonly<Record<string, CredentialSource>>;

/** The parts of a request that authenticate it. */
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

/** Throws if a name is not a security scheme of the document, because it would have no effect. */
export function checkAuth(document: Fields, auth: OpenApiAuth): void {
  const schemes = Object.keys(fieldsOf(fieldsOf(document.components).securitySchemes));
  for (const name of Object.keys(auth)) if (!schemes.includes(name)) throw unknownScheme(name, schemes);
}

/**
 * How the calls of an operation are authenticated: by the first alternative, of those that it (or else the document) accepts, for
 * which `auth` has credentials. Without one, calls are sent as they are, and the service decides.
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
