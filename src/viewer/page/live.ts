import type { LiveEvent } from "../api.js";
import type { Client } from "./client.js";

export type LiveListener = (event: LiveEvent) => void;

/** Follows the server's stream. After a break it goes on where it was; `reload` is told when that was too long ago. */
export class Live {
  readonly #client: Client;
  readonly #listeners = new Set<LiveListener>();
  readonly #stop = new AbortController();
  #last: number | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  subscribe(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async run(): Promise<void> {
    for (let wait = 500; !this.#stop.signal.aborted; wait = Math.min(wait * 2, 10_000)) {
      try {
        for await (const event of this.#client.live(this.#last, this.#stop.signal)) {
          wait = 500;
          this.#last = event.id;
          for (const listener of this.#listeners) listener(event);
        }
      } catch {
        // the server is away or the session is over; what is asked for next says which
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Where nothing is told, the page asks again: each 5 s while it is looked at. */
export function poll(listener: LiveListener): () => void {
  let id = 0;
  const timer = setInterval(() => {
    if (document.visibilityState === "visible") listener({ type: "open", id: id++, isComplete: false });
  }, 5_000);
  return () => clearInterval(timer);
}
