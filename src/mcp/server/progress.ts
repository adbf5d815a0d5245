import { type Fields, isFields } from "../../is.js";
import type { ServerContext } from "./sdk.js";

/** At most twenty messages of chunks a second. */
const pauseMs = 50;

/** Tells a client that wants to know how far its call is. Without a token nothing is sent. */
export class ProgressTeller {
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

  /** An event of a tool: MCP's own form goes out as it is, anything else as a text. */
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

  /** A piece of the result. Pieces that come too fast go out together. */
  chunk(text: string): void {
    if (!this.isWanted || text === "") return;
    this.#pending = (this.#pending ?? "") + text;
    const wait = this.#sentAt + pauseMs - Date.now();
    if (wait <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  /** Before the result goes out, so that nothing comes after it. */
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
    // a client that has gone hears nothing any more
    const sent = this.#sdk.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    this.#sending = Promise.all([this.#sending, sent]);
  }
}
