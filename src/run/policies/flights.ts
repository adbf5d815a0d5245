import type { CacheStore } from "../../components/policies.js";

/** The first that looks for something makes it; those who look for it meanwhile wait for what it makes. */
interface Flight {
  /** What the one before it made, when there was one and it made something. */
  readonly landed: Uint8Array | undefined;
  /** Says what was made; nothing, and the next one makes it. */
  land(made: Uint8Array | undefined): void;
  /** Calls back once another run waits for it, at once if one does already. */
  whenAwaited(tell: () => void): void;
}

/** What is being made. */
interface Open {
  readonly made: Promise<Uint8Array | undefined>;
  readonly wait: () => void;
}

/** What is being made for a store, by key. */
export class Flights {
  readonly #open = new Map<string, Open>();

  static of(store: CacheStore): Flights {
    let flights = all.get(store);
    if (flights === undefined) {
      flights = new Flights();
      all.set(store, flights);
    }
    return flights;
  }

  /** Waits for who makes it now; who is not given what that has made is the one to make it. */
  async join(key: string, signal: AbortSignal): Promise<Flight> {
    for (let open = this.#open.get(key); open !== undefined; open = this.#open.get(key)) {
      open.wait();
      const landed = await unlessAborted(open.made, signal);
      if (landed !== undefined) return { landed, land: ignore, whenAwaited: ignore };
      signal.throwIfAborted();
    }
    let land: (made: Uint8Array | undefined) => void = ignore;
    let wait = ignore;
    const made = new Promise<Uint8Array | undefined>((resolve) => {
      land = resolve;
    });
    const awaited = new Promise<void>((resolve) => {
      wait = resolve;
    });
    const flight: Open = { made, wait };
    this.#open.set(key, flight);
    return {
      landed: undefined,
      land: (data) => {
        if (this.#open.get(key) === flight) this.#open.delete(key);
        land(data);
      },
      whenAwaited: (tell) => void awaited.then(tell),
    };
  }
}

function ignore(): void {}

const all = new WeakMap<CacheStore, Flights>();

function unlessAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    void waiting.then((value) => {
      signal.removeEventListener("abort", stop);
      resolve(value);
    });
  });
}
