import type { AsyncDisposal } from "../../async-disposal.js";
import type { DocumentSource, Loader, Template } from "../../components/retrieval.js";
import { KumikoError, messageOf } from "../../errors.js";
import { approvalFor, checkApprovalNames } from "../../tools/define/approval-option.js";
import type { McpToolDefinition } from "../../tools/mcp/mcp-client.js";
import { sameToolName, unknownServer } from "../errors.js";
import { type ConnectedMcpTool, connectedTool } from "./connected-tool.js";
import type { McpEvent } from "./events.js";
import { InputAnswers } from "./input-answers.js";
import { type LinkOwner, type LinkState, ServerLink } from "./link.js";
import type { McpOptions, McpServerConfig } from "./options.js";
import { listPrompts, type McpPrompt, mcpPromptTemplate } from "./prompts.js";
import {
  listResources,
  listResourceTemplates,
  type McpResource,
  type McpResourceContent,
  type McpResourceTemplate,
  readResource,
  resourceLoader,
} from "./resources.js";
import { type Sampler, samplerOf } from "./sampling.js";
import type { McpSkippedEntry } from "./skipped-entries.js";
import { ToolWatch, type WatchedTool } from "./tool-watch.js";
import { uncheckedReason } from "./unchecked.js";

/** The state of the connection to one server. */
export interface McpServerStatus {
  /** Whether the connection is open. */
  readonly state: LinkState;
  /** The negotiated protocol revision; empty while not connected. */
  readonly revision: string;
  /** How many tools of the server can be used. */
  readonly tools: number;
  /** Why the connection is not open. */
  readonly error?: unknown;
  /** The entries of the lists that were read, which were left out because they cannot be used. */
  readonly skipped?: readonly McpSkippedEntry[] | undefined;
}

/** The list of a server that has changed. */
export interface McpChange {
  /** The name of the server. */
  readonly server: string;
  /** Which list changed. */
  readonly list: "tools" | "resources" | "prompts";
}

/** The prompt or resource template whose argument is completed. */
export type McpCompletionTarget =
  | {
      /** A prompt, by its name. */
      readonly type: "ref/prompt";
      readonly name: string;
    }
  | {
      /** Resources, by their URI template. */
      readonly type: "ref/resource";
      readonly uri: string;
    };

/** The tools, resources and prompts of all connected MCP servers. */
export interface McpConnection extends AsyncDisposal {
  /** The current tools of all servers, or of one, as a frozen array. Call it again before each run to see changes. */
  tools(server?: string): readonly ConnectedMcpTool[];
  /** The current tools by server. */
  toolsets(): Readonly<Record<string, readonly ConnectedMcpTool[]>>;
  /** SHA-256 of each tool definition for `drift.pins`, by `<server>_<name>` even if `prefix` says otherwise. */
  fingerprints(): Readonly<Record<string, string>>;
  /** The resources that a server lists. */
  resources(server: string): Promise<McpResource[]>;
  /** The resource templates that a server lists. */
  resourceTemplates(server: string): Promise<McpResourceTemplate[]>;
  /** Reads a resource by its URI. */
  read(server: string, uri: string): Promise<McpResourceContent[]>;
  /** A loader that reads resources by URI; can be used as a node. */
  loader(server: string): Loader;
  /** The prompts that a server lists. */
  prompts(server: string): Promise<McpPrompt[]>;
  /** A template that renders a prompt of the server; its variables are the arguments of the prompt. */
  template(server: string, name: string): Template;
  /** Calls the listener whenever the resource changes. Returns a function that unsubscribes. */
  subscribe(server: string, uri: string, listener: (uri: string) => void): Promise<() => Promise<void>>;
  /** Returns the suggestions of the server for an argument that the user is typing. */
  complete(
    server: string,
    ref: McpCompletionTarget,
    argument: { readonly name: string; readonly value: string },
  ): Promise<string[]>;
  /** The state of each connection, by the names of the servers. */
  status(): Readonly<Record<string, McpServerStatus>>;
  /** Lists the tools of all servers again, and reconnects servers that are not connected. */
  refresh(): Promise<void>;
  /** Calls the listener when a list changes. Returns a function that removes the listener. */
  onChange(listener: (change: McpChange) => void): () => void;
  /** Closes all connections and stops the programs that were started. */
  close(): Promise<void>;
}

/** The official client lists a name once only; other clients, and servers with an error, may repeat one. */
function withoutRepeated(link: ServerLink, definitions: readonly McpToolDefinition[]): McpToolDefinition[] {
  const names = new Set<string>();
  return definitions.filter(({ name }) => {
    const isNew = !names.has(name);
    if (isNew) names.add(name);
    else link.skipped.add({ list: "tools", name, reason: "the server lists another tool with this name before it" });
    return isNew;
  });
}

export class ConnectedServers implements McpConnection, LinkOwner {
  readonly options: McpOptions;
  readonly sampler: Sampler | undefined;
  readonly #answers: InputAnswers;
  readonly #links: ReadonlyMap<string, ServerLink>;
  readonly #watches = new Map<ServerLink, ToolWatch>();
  readonly #admitted = new Map<ServerLink, readonly WatchedTool[]>();
  readonly #toolCache = new Map<string, { readonly fingerprint: string; readonly tool: ConnectedMcpTool }>();
  readonly #listeners = new Set<(change: McpChange) => void>();
  readonly #subscriptions = new Map<string, Set<(uri: string) => void>>();
  readonly #reportedUnchecked = new Set<string>();
  #toolsets = new Map<ServerLink, readonly ConnectedMcpTool[]>();
  #all: readonly ConnectedMcpTool[] = Object.freeze([]);
  /** Whether `open()` is done. Until then a duplicate tool name is an error; afterwards it is an event. */
  #isOpen = false;

  constructor(servers: Readonly<Record<string, McpServerConfig>>, options: McpOptions) {
    this.options = options;
    this.sampler = samplerOf(options.sampling);
    this.#answers = new InputAnswers(options, this.sampler);
    this.#links = new Map(Object.entries(servers).map(([name, config]) => [name, new ServerLink(name, config, this)]));
  }

  async open(): Promise<this> {
    const opened = await Promise.allSettled([...this.#links.values()].map((link) => link.open()));
    const failed = opened.find((result) => result.status === "rejected");
    try {
      if (failed !== undefined) throw failed.reason;
      const isComplete = [...this.#links.values()].every(({ state }) => state === "connected");
      this.#rebuildTools();
      if (isComplete)
        checkApprovalNames(
          "connectMcp",
          this.options,
          this.#all.map(({ id }) => id),
        );
      this.#isOpen = true;
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  tools(server?: string): readonly ConnectedMcpTool[] {
    return server === undefined ? this.#all : (this.#toolsets.get(this.#link(server)) ?? Object.freeze([]));
  }

  toolsets(): Readonly<Record<string, readonly ConnectedMcpTool[]>> {
    return Object.fromEntries([...this.#links.keys()].map((name) => [name, this.tools(name)]));
  }

  fingerprints(): Readonly<Record<string, string>> {
    const watched = [...this.#links.values()].flatMap((link) => this.#admitted.get(link) ?? []);
    return Object.fromEntries(watched.map(({ key, fingerprint }) => [key, fingerprint]));
  }

  async resources(server: string): Promise<McpResource[]> {
    return listResources(this.#link(server));
  }

  async resourceTemplates(server: string): Promise<McpResourceTemplate[]> {
    return listResourceTemplates(this.#link(server));
  }

  async read(server: string, uri: string): Promise<McpResourceContent[]> {
    return readResource(this.#link(server), this.#answers, uri, undefined);
  }

  loader(server: string): Loader {
    const link = this.#link(server);
    return resourceLoader(link, (source: DocumentSource, ctx) => readResource(link, this.#answers, source.uri, ctx));
  }

  async prompts(server: string): Promise<McpPrompt[]> {
    return listPrompts(this.#link(server));
  }

  template(server: string, name: string): Template {
    return mcpPromptTemplate(this.#link(server), this.#answers, name);
  }

  async subscribe(server: string, uri: string, listener: (uri: string) => void): Promise<() => Promise<void>> {
    const link = this.#link(server);
    const key = `${server} ${uri}`;
    const listeners = this.#subscriptions.get(key) ?? new Set();
    const isFirst = listeners.size === 0;
    listeners.add(listener);
    this.#subscriptions.set(key, listeners);
    if (isFirst) await link.subscribe(uri);
    return async () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#subscriptions.delete(key);
      if (link.state !== "closed") await link.unsubscribe(uri);
    };
  }

  async complete(
    server: string,
    ref: McpCompletionTarget,
    argument: { readonly name: string; readonly value: string },
  ): Promise<string[]> {
    const settings = { name: "completion/complete", repeatable: true };
    const { completion } = await this.#link(server).request(
      (client) => client.complete({ ref: { ...ref }, argument: { ...argument } }),
      settings,
    );
    return completion.values;
  }

  status(): Readonly<Record<string, McpServerStatus>> {
    return Object.fromEntries(
      [...this.#links.values()].map((link) => {
        const { name, state, revision, error } = link;
        const tools = this.#toolsets.get(link)?.length ?? 0;
        const skipped = link.skipped.all;
        const more = { ...(error !== undefined && { error }), ...(skipped.length > 0 && { skipped }) };
        return [name, { state, revision, tools, ...more }];
      }),
    );
  }

  async refresh(): Promise<void> {
    const refreshed = await Promise.allSettled([...this.#links.values()].map((link) => link.refresh()));
    const links = [...this.#links.values()];
    const failed = refreshed.find(
      (result, index) => result.status === "rejected" && links[index]?.config.optional !== true,
    );
    if (failed?.status === "rejected") throw failed.reason;
  }

  onChange(listener: (change: McpChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  emit(event: McpEvent): void {
    try {
      this.options.onEvent?.(event);
    } catch (error) {
      console.error("onEvent of connectMcp failed:", error);
    }
  }

  async toolsListed(link: ServerLink, definitions: readonly McpToolDefinition[]): Promise<void> {
    const { prefix = link.name } = link.config;
    const idOf = (name: string) => (prefix === false ? name : `${prefix}_${name}`);
    this.#admitted.set(link, await this.#watchOf(link).admit(withoutRepeated(link, definitions), idOf));
    if (!this.#isOpen) return;
    const before = this.#all;
    this.#rebuildTools();
    if (before.length !== this.#all.length || before.some((tool, index) => tool !== this.#all[index])) {
      this.#changed({ server: link.name, list: "tools" });
    }
  }

  toolCount(link: ServerLink): number {
    return this.#admitted.get(link)?.length ?? 0;
  }

  listChanged(link: ServerLink, list: "resources" | "prompts"): void {
    this.emit({ kind: `${list}_changed`, server: link.name });
    this.#changed({ server: link.name, list });
  }

  resourceUpdated(link: ServerLink, uri: string): void {
    for (const listener of this.#subscriptions.get(`${link.name} ${uri}`) ?? []) this.#call(() => listener(uri));
  }

  #changed(change: McpChange): void {
    for (const listener of this.#listeners) this.#call(() => listener(change));
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      console.error("A listener of an MCP connection failed:", error);
    }
  }

  #link(server: string): ServerLink {
    const link = this.#links.get(server);
    if (link === undefined) throw unknownServer(server, [...this.#links.keys()]);
    return link;
  }

  #watchOf(link: ServerLink): ToolWatch {
    let watch = this.#watches.get(link);
    if (watch === undefined) {
      watch = new ToolWatch(link.name, this.options.drift ?? {}, (event) => this.emit(event));
      this.#watches.set(link, watch);
    }
    return watch;
  }

  /** Builds new arrays; those returned before do not change. */
  #rebuildTools(): void {
    const owners = new Map<string, string>();
    const toolsets = new Map<ServerLink, readonly ConnectedMcpTool[]>();
    for (const link of this.#links.values()) {
      const taken = (this.#admitted.get(link) ?? []).filter(({ id }) => this.#isFree(id, link.name, owners));
      toolsets.set(link, Object.freeze(taken.flatMap((watched) => this.#usableTool(link, watched) ?? [])));
    }
    this.#toolsets = toolsets;
    this.#all = Object.freeze([...toolsets.values()].flat());
  }

  #isFree(id: string, server: string, owners: Map<string, string>): boolean {
    const other = owners.get(id);
    if (other === undefined) owners.set(id, server);
    else if (!this.#isOpen) throw sameToolName(id, other, server);
    else this.emit({ kind: "duplicate_tool", server, tool: id, other });
    return other === undefined;
  }

  /** Returns `undefined` for a definition from which no tool can be made. */
  #usableTool(link: ServerLink, watched: WatchedTool): ConnectedMcpTool | undefined {
    try {
      return this.#toolFor(link, watched);
    } catch (error) {
      if (!(KumikoError.is(error) && error.code === "INVALID_TOOL")) throw error;
      link.skipped.add({ list: "tools", name: watched.definition.name, reason: messageOf(error) });
      return undefined;
    }
  }

  /** Returns the same object as before if the definition has not changed. */
  #toolFor(link: ServerLink, watched: WatchedTool): ConnectedMcpTool {
    const { id, definition, fingerprint } = watched;
    const key = `${link.name} ${id}`;
    const cached = this.#toolCache.get(key);
    if (cached?.fingerprint === fingerprint) return cached.tool;
    const watch = this.#watchOf(link);
    const tool = connectedTool(watched, {
      link,
      answers: this.#answers,
      requireApproval: approvalFor(this.options, id, definition),
      unchecked: {
        input: this.#isUnchecked(link, id, "inputSchema", definition.inputSchema),
        output: this.#isUnchecked(link, id, "outputSchema", definition.outputSchema),
      },
      refusalReason: (tool) => watch.refusalReason(tool),
    });
    this.#toolCache.set(key, { fingerprint, tool });
    return tool;
  }

  #isUnchecked(
    link: ServerLink,
    tool: string,
    schema: "inputSchema" | "outputSchema",
    given: object | undefined,
  ): boolean {
    const reason = given === undefined ? undefined : uncheckedReason(given);
    if (reason === undefined) return false;
    const key = `${link.name} ${tool} ${schema}`;
    if (!this.#reportedUnchecked.has(key)) {
      this.#reportedUnchecked.add(key);
      this.emit({ kind: "unchecked_schema", server: link.name, tool, schema, reason });
    }
    return true;
  }
}
