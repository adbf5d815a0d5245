import { abortableDelay } from "../timing.js";
import type { Client } from "./sdk.js";

export interface FeedListeners {
  tools(): void;
  resources(): void;
  prompts(): void;
  updated(uri: string): void;
  /** The change stream has ended and could not be reopened. */
  lost(error: unknown): void;
}

type Capabilities = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
type Subscription = Awaited<ReturnType<Client["listen"]>>;

/**
 * Receives the change notifications of a server. Revisions since 2026-07-28 send them over a stream that the client opens;
 * older ones send them without being asked.
 */
export class ChangeFeed {
  readonly #client: Client;
  readonly #isModern: boolean;
  readonly #capabilities: Capabilities;
  readonly #uris: ReadonlySet<string>;
  readonly #listeners: FeedListeners;
  readonly #closing = new AbortController();
  #stream: Subscription | undefined;
  #timeout = 10_000;

  constructor(
    client: Client,
    isModern: boolean,
    capabilities: Capabilities,
    uris: ReadonlySet<string>,
    listeners: FeedListeners,
  ) {
    this.#client = client;
    this.#isModern = isModern;
    this.#capabilities = capabilities;
    this.#uris = uris;
    this.#listeners = listeners;
  }

  async open(timeout: number): Promise<void> {
    const { tools, resources, prompts, updated } = this.#listeners;
    const client = this.#client;
    if (typeof client.setNotificationHandler !== "function" || !this.#hasChanges) return;
    client.setNotificationHandler("notifications/tools/list_changed", tools);
    client.setNotificationHandler("notifications/resources/list_changed", resources);
    client.setNotificationHandler("notifications/prompts/list_changed", prompts);
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated(params.uri));
    this.#timeout = timeout;
    if (this.#isModern) await this.#listen();
    else for (const uri of this.#uris) await client.subscribeResource({ uri }, { timeout });
  }

  async subscribe(uri: string): Promise<void> {
    if (this.#isModern) await this.#listen();
    else await this.#client.subscribeResource({ uri });
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.#isModern) await this.#listen();
    else await this.#client.unsubscribeResource({ uri });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const stream = this.#stream;
    this.#stream = undefined;
    await stream?.close().catch(() => undefined);
  }

  get #hasChanges(): boolean {
    const { tools, resources, prompts } = this.#capabilities;
    return [tools?.listChanged, resources?.listChanged, resources?.subscribe, prompts?.listChanged].includes(true);
  }

  /** Opens the new stream before it closes the old one, so that no notification is lost in between. */
  async #listen(): Promise<void> {
    const { tools, resources, prompts } = this.#capabilities;
    const before = this.#stream;
    const filter = {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.subscribe === true && this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    const stream = await this.#client.listen(filter, { timeout: this.#timeout });
    this.#stream = stream;
    await before?.close();
    void stream.closed.then((reason) => this.#ended(stream, reason));
  }

  async #ended(stream: Subscription, reason: "local" | "graceful" | "remote"): Promise<void> {
    if (this.#stream !== stream || reason === "local" || this.#closing.signal.aborted) return;
    this.#stream = undefined;
    try {
      await abortableDelay(200, this.#closing.signal);
      await this.#listen();
      // changes made while the stream was down are not sent again
      this.#listeners.tools();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#listeners.lost(error);
    }
  }
}
