import { type RunListener, RunListeners } from "../../checkpoint/runs/run-listeners.js";
import { readPayload } from "./change-notifier.js";
import type { SessionLock } from "./session-lock.js";
import type { Table } from "./table.js";

/** Tells listeners of the notifications that arrive on the connection of the session lock. */
export class ChangeListeners {
  readonly #table: Table;
  readonly #openLock: () => Promise<SessionLock>;
  readonly #listeners = new RunListeners();
  /** Ends listening, once it has begun. `undefined` while there are no listeners. */
  #listening: { end?: () => void } | undefined;

  constructor(table: Table, openLock: () => Promise<SessionLock>) {
    this.#table = table;
    this.#openLock = openLock;
  }

  add(listener: RunListener): () => void {
    const end = this.#listeners.add(listener);
    if (this.#listening === undefined) void this.#listen();
    return () => {
      end();
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#listening?.end?.();
    this.#listening = undefined;
  }

  /** Tries again while the server cannot be reached. */
  async #listen(): Promise<void> {
    const listening: { end?: () => void } = {};
    this.#listening = listening;
    while (this.#listening === listening) {
      try {
        const channel = await this.#table.channel();
        const lock = await this.#openLock();
        if (this.#listening !== listening) return;
        listening.end = lock.listen(channel, (payload) => this.#listeners.call(readPayload(payload)));
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
  }
}

const pauseMs = 1_000;
