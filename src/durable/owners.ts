import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { processOwner } from "../checkpoint/journal/process-owner.js";
import type { Clock } from "../components/clock.js";

const askedAgainMs = 1_000;

/** The processes that have claimed runs, each of which is asked for at most once a second. */
export class Owners {
  readonly #store: CheckpointStore;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly at: number; readonly isAlive: boolean }>();

  constructor(store: CheckpointStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Those that are certainly gone. */
  async dead(owners: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    for (const owner of this.#known.keys()) if (!owners.has(owner)) this.#known.delete(owner);
    // at once: a database takes seconds to be sure of one on another host
    const alive = await Promise.all([...owners].map((owner) => this.#isAlive(owner)));
    return new Set([...owners].filter((_, n) => alive[n] === false));
  }

  async #isAlive(owner: string): Promise<boolean> {
    if (this.#store.isOwnerAlive === undefined || owner === processOwner()) return true;
    const known = this.#known.get(owner);
    if (known !== undefined && this.#clock.now() - known.at < askedAgainMs) return known.isAlive;
    const isAlive = await this.#store.isOwnerAlive(owner);
    this.#known.set(owner, { at: this.#clock.now(), isAlive });
    return isAlive;
  }
}
