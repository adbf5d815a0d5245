import { type Fields, isFields } from "../../is.js";
import type { ServerContext } from "./sdk.js";

/** The shortest time between two messages with chunks: at most 20 per second. */
const chunkIntervalMs = 50;

/** Sends progress notifications to the client, if its request has a progress token. */
export class ProgressReporter {
  readonly #sdk: ServerContext;
  readonly #token: string | number | undefined;
  #last = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #pending: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(sdk: ServerContext) {
    this.#sdk = sdk;
    this.#token = sdk.mcpReq._meta?.progressToken;
  }

  get isWanted(): boolean {
    return this.#token !== undefined;
  }

  /** Sends an event of a tool: as it is if it has the form of MCP, otherwise as text. */
  event(value: unknown): void {
    if (!this.isWanted) return;
    const { progress, total, message } = isFields(value) ? value : {};
    if (typeof progress === "number") {
      this.#send(progress, {
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message }),
      });
    } else this.#send(this.#last + 1, { message: typeof value === "string" ? value : (JSON.stringify(value) ?? "") });
  }

  /** Sends a chunk of the result. Chunks that follow each other quickly are sent together. */
  chunk(text: string): void {
    if (!this.isWanted || text === "") return;
    this.#pending = (this.#pending ?? "") + text;
    const wait = this.#sentAt + chunkIntervalMs - Date.now();
    if (wait <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  /** Sends what is left. Must be awaited before the result is sent, because progress must not follow it. */
  async end(): Promise<void> {
    this.#flush();
    await this.#sending;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const message = this.#pending;
    this.#pending = undefined;
    if (message === undefined) return;
    this.#sentAt = Date.now();
    this.#send(this.#last + 1, { message });
  }

  #send(progress: number, more: Fields): void {
    const progressToken = this.#token;
    if (progressToken === undefined) return;
    this.#last = Math.max(this.#last, progress);
    const params = { progressToken, progress, ...more };
    // the client may have disconnected
    const sent = this.#sdk.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    this.#sending = Promise.all([this.#sending, sent]);
  }
}
