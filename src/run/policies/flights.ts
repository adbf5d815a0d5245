import type { CacheStore } from "../../components/policies.js";

/** A run's part in computing the value of a key: the first run computes it, others wait for its result. */
interface Flight {
  /** The result of the run that this one waited for, if it has one. */
  readonly landed: Uint8Array | undefined;
  /** Publishes the result; with `undefined`, the next waiting run computes it. Only the first call has an effect. */
  land(made: Uint8Array | undefined): void;
  /** The result is in the cache, or there is none: from now on, others look there. */
  close(): void;
  /** Calls back as soon as another run waits for the result. */
  whenAwaited(tell: () => void): void;
}

/** A value that is being computed. */
interface Open {
  readonly made: Promise<Uint8Array | undefined>;
  readonly wait: () => void;
}

/** The values that are being computed for a store, by key. */
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

  /**
   * Waits for a run that is computing the value. If that yields nothing, or there is none, the caller has to compute it. It need
   * not heed its signal: once that is aborted, the next run computes the value.
   */
  async join(key: string, signal: AbortSignal): Promise<Flight> {
    for (let open = this.#open.get(key); open !== undefined; open = this.#open.get(key)) {
      open.wait();
      const landed = await unlessAborted(open.made, signal);
      if (landed !== undefined) return { landed, land: ignore, close: ignore, whenAwaited: ignore };
      signal.throwIfAborted();
    }
    let resolveMade: (made: Uint8Array | undefined) => void = ignore;
    let wait = ignore;
    const made = new Promise<Uint8Array | undefined>((resolve) => {
      resolveMade = resolve;
    });
    const awaited = new Promise<void>((resolve) => {
      wait = resolve;
    });
    const flight: Open = { made, wait };
    this.#open.set(key, flight);
    const close = (): void => {
      if (this.#open.get(key) === flight) this.#open.delete(key);
    };
    const leave = (): void => land(undefined);
    const land = (data: Uint8Array | undefined): void => {
      signal.removeEventListener("abort", leave);
      if (data === undefined) close();
      resolveMade(data);
    };
    signal.addEventListener("abort", leave);
    return { landed: undefined, land, close, whenAwaited: (tell) => void awaited.then(tell) };
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
