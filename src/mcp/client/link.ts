import { KumikoError } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { callMcpTool, type McpToolDefinition } from "../../tools/mcp/mcp-client.js";
import {
  callCutOff,
  callNotAccepted,
  connectFailed,
  connectTimedOut,
  disconnected,
  mcpConnectionClosed,
  notMcp,
  unknownIncluded,
} from "../errors.js";
import { abortableDelay, maxTimerMs, raceAbort, withLimit } from "../timing.js";
import { ChangeFeed } from "./change-feed.js";
import { InFlight } from "./in-flight.js";
import {
  capabilitiesOf,
  exitedOnProbe,
  interruptOnlyCapabilities,
  isModern,
  newClient,
  revisionOf,
  type SharedOptions,
} from "./new-client.js";
import { addressOf, endClient, hideAtHandshake, openTransport } from "./open-transport.js";
import type { McpServerConfig } from "./options.js";
import { ProgramEnd, ProgramEnded } from "./program-end.js";
import {
  connectFailureOf,
  isConnectionLost,
  isCutOff,
  isInvalidResponse,
  isSessionLost,
  isUnreachable,
  wasNotProcessed,
} from "./request-failure.js";
import { type Client, loadClient } from "./sdk.js";
import { SkippedEntries } from "./skipped-entries.js";

/** The states of a connection to a server. */
export type LinkState = "connecting" | "connected" | "reconnecting" | "failed" | "closed";

/** The owner of a link, which is notified of changes at the server. */
export interface LinkOwner extends SharedOptions {
  toolsListed(link: ServerLink, definitions: readonly McpToolDefinition[]): Promise<void>;
  toolCount(link: ServerLink): number;
  listChanged(link: ServerLink, list: "resources" | "prompts"): void;
  resourceUpdated(link: ServerLink, uri: string): void;
}

export interface RequestSettings {
  readonly signal?: AbortSignal | undefined;
  /** The name of the tool, prompt or method, for error messages. */
  readonly name: string;
  /** Whether the request may be sent again when it is unknown whether the server processed it. */
  readonly repeatable: boolean;
}

/** The connection to one server, which is reopened when it is lost. */
export class ServerLink {
  readonly name: string;
  readonly config: McpServerConfig;
  /** The transport and address of the server, as far as its configuration says: for traces. */
  readonly endpoint: Fields;
  readonly inFlight = new InFlight();
  state: LinkState = "connecting";
  error: unknown;
  revision = "";
  readonly #owner: LinkOwner;
  readonly #closing = new AbortController();
  readonly #cutoffs = new WeakMap<Client, Cutoff>();
  readonly #ends = new WeakMap<Client, ProgramEnd>();
  /** The entries of its lists that were left out. */
  readonly skipped: SkippedEntries;
  #client: Client | undefined;
  /** Whether `include` has been checked against the tools of the server. */
  #isIncludeChecked = false;
  #opening: Promise<void> | undefined;
  #feed: ChangeFeed | undefined;
  readonly #subscribed = new Set<string>();

  constructor(name: string, config: McpServerConfig, owner: LinkOwner) {
    this.name = name;
    this.config = config;
    this.endpoint = { server: name, ...addressOf(config) };
    this.#owner = owner;
    this.skipped = new SkippedEntries((entry) => owner.emit({ kind: "skipped_entry", server: name, ...entry }));
  }

  /** Connects for the first time. */
  async open(): Promise<void> {
    try {
      await this.#connect();
    } catch (cause) {
      const error = this.#connectError(cause);
      this.#fail(error);
      if (this.config.optional !== true || isPackageMissing(cause)) throw error;
      if (this.#canReconnect) this.#reconnect();
    }
  }

  /** The timeout of one request, up to the longest that a timer supports. */
  get timeout(): number {
    return Math.min(this.config.timeoutMs ?? 60_000, maxTimerMs);
  }

  /** Lists the tools again; reconnects first if the connection is lost. */
  async refresh(): Promise<void> {
    await this.#listTools(await this.ready(undefined));
  }

  /** Sends a request. Waits if the connection is being opened. */
  async request<T>(use: (client: Client) => Promise<T>, settings: RequestSettings): Promise<T> {
    const { signal, name, repeatable } = settings;
    for (let sent = 1; ; sent++) {
      const client = await this.ready(signal);
      try {
        const work = use(client);
        return await raceAbort(this.#cutoffs.get(client)?.race(work) ?? work, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const isUnprocessed = wasNotProcessed(error, client);
        const reason = this.#ends.get(client)?.error(error) ?? error;
        if (isConnectionLost(error, client)) this.#lost(client, reason);
        else if (!isCutOff(error)) throw isInvalidResponse(error) ? notMcp(this.name, name, error) : error;
        if (isUnprocessed && sent < maxSends) continue;
        if (isUnprocessed) throw callNotAccepted(this.name, name, sent, reason);
        if (!repeatable || sent === maxSends) throw callCutOff(this.name, name, repeatable ? sent : 1, reason);
      }
    }
  }

  /** Returns the connected client; waits or reconnects if there is none. */
  async ready(signal: AbortSignal | undefined): Promise<Client> {
    for (let tried = false; ; tried = true) {
      if (this.state === "closed") throw mcpConnectionClosed();
      if (this.#client !== undefined) return this.#client;
      if (this.#opening === undefined) {
        if (tried || !this.#canReconnect) throw disconnected(this.name, this.error);
        this.#reconnectNow();
      }
      await raceAbort(this.#opening ?? Promise.resolve(), signal);
    }
  }

  call(params: Parameters<typeof callMcpTool>[1], options: object): (client: Client) => Promise<unknown> {
    return (client) => callMcpTool(client as never, params, { ...options, allowInputRequired: true } as never);
  }

  get capabilities() {
    return this.#client === undefined ? {} : capabilitiesOf(this.#client);
  }

  async subscribe(uri: string): Promise<void> {
    this.#subscribed.add(uri);
    await this.ready(undefined);
    await this.#feed?.subscribe(uri);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#subscribed.delete(uri);
    await this.#feed?.unsubscribe(uri);
  }

  async close(): Promise<void> {
    if (this.state === "closed") return;
    this.state = "closed";
    this.#closing.abort(mcpConnectionClosed());
    const client = this.#client;
    this.#client = undefined;
    await this.#feed?.close();
    await this.#opening?.catch(() => undefined);
    if (client !== undefined && !("client" in this.config)) await endClient(client);
  }

  get #canReconnect(): boolean {
    return this.#owner.options.reconnect !== false && ("command" in this.config || "url" in this.config);
  }

  async #connect(): Promise<void> {
    const { connectTimeoutMs = 10_000 } = this.config;
    let opened: Promise<Client> | undefined;
    try {
      const client = await withLimit(
        connectTimeoutMs,
        this.#closing.signal,
        () => connectTimedOut(connectTimeoutMs),
        (signal) => {
          opened = this.#opened(signal, connectTimeoutMs);
          return opened;
        },
      );
      await this.#connected(client);
    } catch (error) {
      await opened?.then(
        (client) => this.#end(client),
        () => undefined, // its client is closed already
      );
      throw error;
    }
  }

  async #end(client: Client): Promise<void> {
    if (!("client" in this.config)) await endClient(client).catch(() => undefined);
  }

  /** Returns a connected client whose tools have been listed. */
  async #opened(signal: AbortSignal, timeout: number): Promise<Client> {
    if ("client" in this.config) {
      const client = this.config.client as Client;
      await this.#listTools(client);
      return client;
    }
    try {
      return await this.#openedAs(this.config, signal, timeout);
    } catch (error) {
      const cause = error instanceof ProgramEnded ? error.cause : error;
      if (!("command" in this.config && exitedOnProbe(cause, this.config))) throw error;
      return this.#openedAs({ ...this.config, revision: "legacy" }, signal, timeout);
    }
  }

  async #openedAs(config: McpServerConfig, signal: AbortSignal, timeout: number): Promise<Client> {
    const client = await newClient(this.name, config, this.#owner, () => this.inFlight.only);
    try {
      await this.#handshake(client, signal, timeout);
      const listed = this.#listTools(client);
      await raceAbort(this.#cutoffs.get(client)?.race(listed) ?? listed, signal);
      return client;
    } catch (error) {
      const reason = this.#ends.get(client)?.error(error) ?? error;
      await endClient(client).catch(() => undefined);
      throw reason;
    }
  }

  async #handshake(client: Client, signal: AbortSignal, timeout: number): Promise<void> {
    const cutoff = new Cutoff();
    this.#cutoffs.set(client, cutoff);
    const end = new ProgramEnd();
    this.#ends.set(client, end);
    const transport = await openTransport(this.config, end, (error) => {
      cutoff.cut(error);
      this.#lost(client, error);
    });
    hideAtHandshake(transport, interruptOnlyCapabilities(this.#owner));
    this.#readErrors(transport, end);
    await raceAbort(cutoff.race(client.connect(transport, { signal, timeout })), signal);
    this.skipped.watch(client.transport ?? transport, (await loadClient()).specTypeSchemas, isModern(client));
  }

  /** Reads a piped standard error; otherwise the program would block once the pipe is full. */
  #readErrors(transport: object, end: ProgramEnd): void {
    const stream: unknown = "command" in this.config ? Reflect.get(transport, "stderr") : undefined;
    if (!isFields(stream) || typeof stream.on !== "function") return;
    end.read("");
    stream.on("data", (data: unknown) => {
      end.read(String(data));
      this.#owner.emit({ kind: "log", server: this.name, level: "info", data: String(data), logger: "stderr" });
    });
  }

  async #connected(client: Client): Promise<void> {
    if (this.state === "closed") return endClient(client);
    this.#client = client;
    this.state = "connected";
    this.error = undefined;
    this.revision = revisionOf(client);
    if (!("client" in this.config)) {
      client.onclose = () => {
        const closed = new Error("The server closed the connection.");
        this.#lost(client, this.#ends.get(client)?.error(closed) ?? closed);
      };
    }
    this.#feed = new ChangeFeed(client, isModern(client), capabilitiesOf(client), this.#subscribed, {
      tools: () => void this.#relist(client),
      resources: () => this.#owner.listChanged(this, "resources"),
      prompts: () => this.#owner.listChanged(this, "prompts"),
      updated: (uri) => this.#owner.resourceUpdated(this, uri),
      lost: (error) => this.#unwatched(client, error),
    });
    const { connectTimeoutMs = 10_000 } = this.config;
    try {
      await this.#feed.open(connectTimeoutMs);
    } catch (error) {
      this.#unwatched(client, error);
    }
    const tools = this.#owner.toolCount(this);
    this.#owner.emit({ kind: "connected", server: this.name, revision: this.revision, tools });
  }

  /** Without change notifications the server can still be called, unless it is unreachable. */
  #unwatched(client: Client, error: unknown): void {
    if (isUnreachable(error)) this.#lost(client, error);
    else this.#owner.emit({ kind: "unwatched", server: this.name, error });
  }

  async #listTools(client: Client): Promise<void> {
    this.skipped.clear("tools");
    const { tools } =
      "tools" in capabilitiesOf(client) || "client" in this.config
        ? await client.listTools({}, { timeout: this.timeout, cacheMode: "refresh" })
        : { tools: [] };
    const { include, exclude = [] } = this.config;
    this.#checkIncluded(
      include ?? [],
      tools.map(({ name }) => name),
    );
    const included = (tools as readonly McpToolDefinition[]).filter(
      ({ name }) => (include === undefined || include.includes(name)) && !exclude.includes(name),
    );
    await this.#owner.toolsListed(this, included);
  }

  /** Only the first list is checked: a tool that is removed later is a change at the server, not a wrong option. */
  #checkIncluded(include: readonly string[], names: readonly string[]): void {
    if (this.#isIncludeChecked) return;
    const missing = include.filter((name) => !names.includes(name));
    const reasons = this.skipped.all
      .filter(({ list }) => list === "tools")
      .map(({ name, reason }) => [name, reason] as const);
    if (missing.length > 0) throw unknownIncluded(this.name, missing, names, new Map(reasons));
    this.#isIncludeChecked = true;
  }

  async #relist(client: Client): Promise<void> {
    try {
      await this.#listTools(client);
      this.#owner.emit({ kind: "tools_changed", server: this.name });
    } catch (error) {
      if (isConnectionLost(error, client)) this.#lost(client, error);
      else this.#owner.emit({ kind: "failed", server: this.name, error });
    }
  }

  #lost(client: Client, error: unknown): void {
    if (this.#client !== client || this.state === "closed") return;
    this.#client = undefined;
    client.onclose = () => undefined;
    void this.#feed?.close();
    const isSessionGone = isSessionLost(error, client);
    const cutoff = this.#cutoffs.get(client);
    // the other requests in the same session are still answered, if only with the same refusal
    if (isSessionGone && cutoff !== undefined) {
      cutoff.whenIdle(() => this.#discard(client));
      this.#closing.signal.addEventListener("abort", () => this.#discard(client), { once: true });
    } else this.#discard(client);
    this.#owner.emit({ kind: "disconnected", server: this.name, error });
    this.#fail(error);
    // the server is there: only the session is gone
    if (this.#canReconnect) this.#reconnect(isSessionGone);
  }

  #discard(client: Client): void {
    if (!("client" in this.config)) client.close().catch(() => undefined);
  }

  #fail(error: unknown): void {
    this.error = error;
    if (this.state !== "closed") this.state = "failed";
  }

  #reconnect(isPrompt = false): void {
    const { attempts = 5, delayMs: firstMs = 500, maxDelayMs = 30_000 } = this.#owner.options.reconnect || {};
    this.#open(async () => {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const delayMs =
          isPrompt && attempt === 1
            ? 0
            : Math.round(Math.min(maxDelayMs, firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2));
        this.#owner.emit({ kind: "reconnecting", server: this.name, attempt, delayMs });
        await abortableDelay(delayMs, this.#closing.signal);
        if (await this.#attempt()) return;
      }
    });
  }

  #reconnectNow(): void {
    this.#open(async () => void (await this.#attempt()));
  }

  #open(work: () => Promise<void>): void {
    this.state = "reconnecting";
    this.#opening = work()
      .catch((error) => {
        this.error = error;
      })
      .finally(() => {
        this.#opening = undefined;
        if (this.state === "reconnecting") {
          this.state = "failed";
          this.#owner.emit({ kind: "failed", server: this.name, error: this.error });
        }
      });
  }

  async #attempt(): Promise<boolean> {
    try {
      await this.#connect();
      return true;
    } catch (cause) {
      this.error = this.#connectError(cause);
      return false;
    }
  }

  #connectError(cause: unknown): unknown {
    if (isOwnMistake(cause)) return cause;
    return connectFailed(this.name, connectFailureOf(cause), cause);
  }
}

/** A request that crashes the server each time must not be repeated forever. */
const maxSends = 5;

/** Whether the reason is in this program, and not at the server. */
function isOwnMistake(error: unknown): boolean {
  return isPackageMissing(error) || (KumikoError.is(error) && error.code === "INVALID_OPTION");
}

function isPackageMissing(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "PACKAGE_MISSING";
}

/** The open requests of a connection, which are rejected at once when it breaks. */
class Cutoff {
  readonly #open = new Set<(error: unknown) => void>();
  #onIdle: (() => void) | undefined;

  /** Settles like `work`, or rejects as soon as the connection breaks. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      work.then(resolve, reject).finally(() => {
        this.#open.delete(reject);
        if (this.#open.size === 0) this.#onIdle?.();
      });
    });
  }

  cut(error: unknown): void {
    for (const reject of this.#open) reject(error);
    this.#open.clear();
  }

  /** Calls the listener when no request is open. */
  whenIdle(listener: () => void): void {
    if (this.#open.size === 0) listener();
    else this.#onIdle = listener;
  }
}
