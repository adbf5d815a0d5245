import { KumikoError } from "../../errors.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption } from "../errors.js";
import type { MCPServerOptions, McpAuthInfo } from "./options.js";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Checks requests before they are served: host, origin, authentication and size. */
export class Gate {
  readonly #hosts: readonly string[];
  readonly #origins: readonly string[];
  readonly #auth: MCPServerOptions["auth"];
  readonly #maxBodyBytes: number;

  constructor({ allowedHosts, allowedOrigins, auth, maxBodyBytes = 4 * 1024 * 1024 }: MCPServerOptions) {
    this.#hosts = allowedHosts ?? loopbackNames;
    this.#origins = allowedOrigins ?? loopbackNames;
    this.#auth = auth;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Returns an error response, or what `auth` returned for an admitted request. Does not read the body. */
  async check(
    request: Request,
    given: McpAuthInfo | undefined,
  ): Promise<Response | { authInfo: McpAuthInfo | undefined }> {
    const { headers } = request;
    if (!this.#isKnownHost(headers.get("host") ?? new URL(request.url).host)) return refusal(403, "Unknown Host");
    const origin = headers.get("origin");
    if (origin !== null && !this.#isKnownOrigin(origin)) return refusal(403, "Unknown Origin");
    const admitted = await this.#authenticate(request, given);
    if (admitted instanceof Response) return admitted;
    const length = Number(headers.get("content-length") ?? 0);
    return length > this.#maxBodyBytes ? refusal(413, "The body is too large") : admitted;
  }

  async #authenticate(
    request: Request,
    given: McpAuthInfo | undefined,
  ): Promise<Response | { authInfo: McpAuthInfo | undefined }> {
    if (given !== undefined) return { authInfo: checkAuthInfo("The authInfo passed to a request", given) };
    if (this.#auth === undefined) return { authInfo: undefined };
    let found: unknown;
    try {
      found = await this.#auth(request);
    } catch {
      return refusal(401, "Unauthorized");
    }
    if (found instanceof Response) return found;
    if (found === undefined || found === null) return refusal(401, "Unauthorized", { "www-authenticate": "Bearer" });
    return { authInfo: checkAuthInfo("The result of auth", found) };
  }

  #isKnownHost(host: string): boolean {
    const name = hostnameOf(`http://${host}`);
    return this.#hosts.some((known) => known === host || known === name);
  }

  #isKnownOrigin(origin: string): boolean {
    const name = hostnameOf(origin);
    return this.#origins.some((known) => known === origin || known === name);
  }
}

/** Throws if a caller is not described: all such callers would be taken for the same. */
function checkAuthInfo(what: string, given: unknown): McpAuthInfo {
  const { token, clientId, scopes } = isFields(given) ? given : {};
  if (typeof token === "string" && typeof clientId === "string" && Array.isArray(scopes)) return given as McpAuthInfo;
  // without the value, which may hold a secret
  throw invalidMcpOption(
    `${what} of MCPServer must be an object with token, clientId and scopes, or undefined to refuse the caller (got ${kindOf(given)}).`,
  );
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code = -32000,
): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers: { ...headers } });
}

/** Identifies the caller: state and sessions can be used only by the caller they were made for. */
export function principalOf(authInfo: McpAuthInfo | undefined): string {
  if (authInfo === undefined) return "";
  const { clientId, extra } = authInfo;
  return JSON.stringify([clientId, extra?.sub ?? extra?.subject ?? extra?.userId ?? null]);
}

/** Throws if a server would listen on a public address without `allowedHosts`. */
export function checkListenHost(host: string, { allowedHosts }: MCPServerOptions): void {
  if (allowedHosts !== undefined || loopbackNames.includes(host) || host === "::1") return;
  throw invalidMcpOption(
    `Listening on "${host}" needs allowedHosts: the host names of the server. Without them, any web page could call it through a host name of its own (DNS rebinding).`,
  );
}

export const serverClosed = (): KumikoError =>
  new KumikoError("MCP_DISCONNECTED", "This MCPServer was closed with close(). Create a new one.");
