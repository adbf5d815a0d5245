import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import type { ConnectedMcpTool } from "../../mcp/client/connected-tool.js";
import type { McpConnection } from "../../mcp/client/connection.js";
import type { McpEndpoint, McpServerConfig } from "../../mcp/client/options.js";
import type { McpPrompt } from "../../mcp/client/prompts.js";
import type { McpResource, McpResourceContent, McpResourceTemplate } from "../../mcp/client/resources.js";
import { shorten } from "../../schema/shorten.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { kindOf } from "../../wording.js";
import { invalidMastraOption } from "../errors.js";

/** How to reach a server: a program to start (`command`), or an address (`url`). */
export interface MCPClientServer {
  /** The program. */
  readonly command?: string | undefined;
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables, in addition to a few safe ones that are inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder that it is started in. */
  readonly cwd?: string | undefined;
  /** The destination of its standard error. @default "inherit" */
  readonly stderr?: "inherit" | "ignore" | "pipe" | undefined;
  /** The URL of the server's MCP endpoint. */
  readonly url?: string | URL | undefined;
  /** Only `headers`, which are sent to the origin of `url`. */
  readonly requestInit?: { readonly headers?: HeadersInit | undefined } | undefined;
  /** An `OAuthClientProvider` of `@modelcontextprotocol/client`. */
  readonly authProvider?: object | undefined;
  /** A `fetch` of your own. @default the global `fetch` */
  readonly fetch?: McpEndpoint["fetch"];
  /** How long one call may take, in milliseconds. @default `timeout` of the client */
  readonly timeout?: number | undefined;
  /** How long connecting and listing the tools may take, in milliseconds. @default 10_000 */
  readonly connectTimeout?: number | undefined;
}

/** Options of {@link MCPClient}. */
export interface MCPClientOptions {
  /** A name for the client. It has no effect. */
  readonly id?: string | undefined;
  /** The servers by their names, which are the prefixes of their tools. */
  readonly servers: Readonly<Record<string, MCPClientServer>>;
  /** How long one call may take, in milliseconds. @default 60_000 */
  readonly timeout?: number | undefined;
}

type Named<T> = Readonly<Record<string, T>>;

const serverNames = [
  ...["command", "args", "env", "cwd", "stderr", "url", "requestInit", "authProvider", "fetch"],
  ...["timeout", "connectTimeout"],
];

/** What to use in place of options that have no effect here. */
const hints: Named<string> = {
  requireToolApproval: "Use the middleware approvals of the agent, with rules that name tools.",
  logger: "Use connectMcp of kumiko/mcp, whose onEvent gets the logs.",
  enableServerLogs: "Use connectMcp of kumiko/mcp, whose onEvent gets the logs.",
  capabilities: "Use connectMcp of kumiko/mcp, with elicitation, sampling and roots.",
  roots: "Use connectMcp of kumiko/mcp, with roots.",
  eventSourceInit: "Use connectMcp of kumiko/mcp, with sse: true and headers.",
};

/**
 * The tools, resources and prompts of MCP servers, with the interface of Mastra, over `connectMcp` of `kumiko/mcp`. It connects when
 * it is first used.
 *
 * @example
 * import { Agent, MCPClient } from "kumiko/mastra";
 *
 * const mcp = new MCPClient({ servers: { files: { command: "npx", args: ["-y", "files-mcp"] } } });
 * const agent = new Agent({ name: "clerk", instructions: "Find files.", model, tools: () => mcp.listTools() });
 */
export class MCPClient {
  readonly id: string | undefined;
  readonly #servers: Named<McpServerConfig>;
  #connection: Promise<McpConnection> | undefined;

  constructor(options: MCPClientOptions) {
    checkOptions("new MCPClient", options, ["id", "servers", "timeout"]);
    const { id, servers, timeout } = options;
    if (!isFields(servers))
      throw invalidMastraOption(`servers of new MCPClient must be a record of servers (got ${kindOf(servers)}).`);
    this.id = id;
    this.#servers = Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, configOf(name, server as MCPClientServer, timeout)]),
    );
  }

  /** The tools of all servers, as `<server>_<tool>`. */
  async listTools(): Promise<Named<ConnectedMcpTool>> {
    const tools = (await this.#connected()).tools();
    return Object.fromEntries(tools.map((tool) => [tool.id, tool]));
  }

  /** The older name of `listTools`. */
  getTools(): Promise<Named<ConnectedMcpTool>> {
    return this.listTools();
  }

  /** The tools by server, under their own names. */
  async listToolsets(): Promise<Named<Named<ConnectedMcpTool>>> {
    const toolsets = Object.entries((await this.#connected()).toolsets());
    return Object.fromEntries(
      toolsets.map(([server, tools]) => [
        server,
        Object.fromEntries(tools.map((tool) => [tool.id.slice(server.length + 1), tool])),
      ]),
    );
  }

  /** The older name of `listToolsets`. */
  getToolsets(): Promise<Named<Named<ConnectedMcpTool>>> {
    return this.listToolsets();
  }

  /** The resources of the servers. */
  readonly resources = {
    /** The resources by server. */
    list: (): Promise<Named<readonly McpResource[]>> => this.#each((all, server) => all.resources(server)),
    /** The resource templates by server. */
    templates: (): Promise<Named<readonly McpResourceTemplate[]>> =>
      this.#each((all, server) => all.resourceTemplates(server)),
    /** Reads a resource. */
    read: async (server: string, uri: string): Promise<{ readonly contents: readonly McpResourceContent[] }> => ({
      contents: await (await this.#connected()).read(server, uri),
    }),
  };

  /** The prompts of the servers. */
  readonly prompts = {
    /** The prompts by server. */
    list: (): Promise<Named<readonly McpPrompt[]>> => this.#each((all, server) => all.prompts(server)),
  };

  /** Closes all connections, and stops the programs that were started. */
  async disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await (await connection?.catch(() => undefined))?.close();
  }

  async #each<T>(list: (all: McpConnection, server: string) => Promise<T>): Promise<Named<T>> {
    const all = await this.#connected();
    const names = Object.keys(this.#servers);
    const lists = await Promise.all(names.map((server) => list(all, server)));
    return Object.fromEntries(names.map((name, index) => [name, lists[index] as T]));
  }

  /** A connection that could not be made is tried again by the next call. */
  #connected(): Promise<McpConnection> {
    if (this.#connection === undefined) {
      const opening = import("../../mcp/client/connect-mcp.js").then(({ connectMcp }) => connectMcp(this.#servers));
      opening.catch(() => {
        if (this.#connection === opening) this.#connection = undefined;
      });
      this.#connection = opening;
    }
    return this.#connection;
  }
}

function configOf(name: string, server: MCPClientServer, timeout: number | undefined): McpServerConfig {
  const where = `server "${name}" of new MCPClient`;
  checkOptions(where, server, serverNames, { hint: (option) => hints[option] ?? "" });
  const { command, url } = server;
  if ((command === undefined) === (url === undefined))
    throw invalidMastraOption(
      `${where} needs a program to start (command) or an address (url), ${command === undefined ? "and has neither" : "not both"}.`,
    );
  if (command !== undefined && (typeof command !== "string" || command === ""))
    throw invalidMastraOption(`command of ${where} must be the name or path of a program (got ${kindOf(command)}).`);
  if (url !== undefined && !isWebAddress(url))
    throw invalidMastraOption(`url of ${where} must be an http or https URL (got ${shorten(url)}).`);
  const { requestInit, timeout: timeoutMs = timeout, connectTimeout: connectTimeoutMs, ...config } = server;
  if (requestInit !== undefined) checkOptions(`requestInit of ${where}`, requestInit, ["headers"]);
  const headers = requestInit?.headers && Object.fromEntries(new Headers(requestInit.headers));
  return withoutUndefined({ ...config, headers, timeoutMs, connectTimeoutMs }) as never;
}

function isWebAddress(url: unknown): boolean {
  const isText = typeof url === "string" || url instanceof URL;
  return isText && /^https?:\/\/[^/]/.test(String(url)) && URL.canParse(String(url));
}
