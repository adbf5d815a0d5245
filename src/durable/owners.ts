import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { processOwner } from "../checkpoint/journal/process-owner.js";
import type { Clock } from "../components/clock.js";

const askedAgainMs = 1_000;
/** How long other runs wait for an answer. */
const patienceMs = 250;

/** The processes that have claimed runs, each of which is asked for at most once a second. */
export class Owners {
  readonly #store: CheckpointStore;
  readonly #clock: Clock;
  /** Called when the answer has come that was too late for a look. */
  readonly #onLate: () => void;
  readonly #known = new Map<string, { readonly at: number; readonly isAlive: boolean }>();
  readonly #asked = new Map<string, Promise<void>>();

  constructor(store: CheckpointStore, clock: Clock, onLate: () => void = () => undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** Whether there is one of which the store is not sure yet. */
  get isAsking(): boolean {
    return this.#asked.size > 0;
  }

  /** Those that are certainly gone. A database takes seconds to be sure of one on another host: until then it counts as alive. */
  async dead(owners: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    for (const owner of this.#known.keys()) if (!owners.has(owner)) this.#known.delete(owner);
    const answers = Promise.all([...owners].map((owner) => this.#ask(owner)));
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.setTimer(() => {
        answers.then(this.#onLate, this.#onLate);
        resolve();
      }, patienceMs);
    });
    await Promise.race([answers, late]).finally(() => this.#clock.clearTimer(timer));
    return new Set([...owners].filter((owner) => this.#known.get(owner)?.isAlive === false));
  }

  #ask(owner: string): Promise<void> | undefined {
    if (owner === processOwner()) return undefined;
    const known = this.#known.get(owner);
    if (known !== undefined && this.#clock.now() - known.at < askedAgainMs) return undefined;
    const asked = this.#asked.get(owner) ?? this.#hear(owner).finally(() => this.#asked.delete(owner));
    this.#asked.set(owner, asked);
    return asked;
  }

  async #hear(owner: string): Promise<void> {
    const isAlive = await this.#store.isOwnerAlive?.(owner);
    this.#known.set(owner, { at: this.#clock.now(), isAlive: isAlive !== false });
  }
}
