import { type DedicatedClient, makeClient, type PostgresNotification, type PostgresPool } from "./pool.js";

/** Gets the payload of each notification; `undefined`: some may have been lost. */
export type NotificationHandler = (payload?: string) => void;

/**
 * An advisory lock that this process holds as long as it is connected, so that processes on any host can see that it is alive. It
 * uses a separate connection, which all stores on one pool share, also to listen to notifications. If that breaks, it tries to
 * take the lock on a new connection, first immediately and then about twice a second.
 */
export class SessionLock {
  readonly #pool: PostgresPool;
  /** The key of the lock. */
  readonly key: string;
  #holder: DedicatedClient | undefined;
  readonly #channels = new Map<string, Set<NotificationHandler>>();
  #attempt: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failures = 0;
  #users = 0;
  /** Whether no store uses the lock any more, or it is not available on this connection. */
  #over = false;

  /** The lock that all stores on this pool share. Each `open` needs a `close`. */
  static open(pool: PostgresPool, key: string): SessionLock {
    let lock = locks.get(pool);
    if (lock === undefined) {
      lock = new SessionLock(pool, key);
      locks.set(pool, lock);
    }
    lock.#users += 1;
    return lock;
  }

  private constructor(pool: PostgresPool, key: string) {
    this.#pool = pool;
    this.key = key;
  }

  /** Takes the lock if it is not held, and returns whether it is held now. Failures are not thrown: it is tried again later. */
  async take(): Promise<boolean> {
    if (this.#holder === undefined && this.#pause === undefined && !this.#over) {
      this.#attempt ??= this.#try().finally(() => {
        this.#attempt = undefined;
      });
    }
    await this.#attempt;
    return this.#holder !== undefined;
  }

  /**
   * Hands on the notifications of a channel, whose name needs no quotes, and returns a function that ends it. The handler is also
   * called without a payload, each time the connection begins to listen. Behind a pooler there are no calls.
   */
  listen(channel: string, handler: NotificationHandler): () => void {
    const handlers = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, handlers.add(handler));
    void this.#listenOn(channel, handler);
    return () => {
      handlers.delete(handler);
      if (handlers.size > 0 || this.#channels.get(channel) !== handlers) return;
      this.#channels.delete(channel);
      this.#holder?.query({ text: `UNLISTEN ${channel}` }).catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    locks.delete(this.#pool);
    this.#over = true;
    clearTimeout(this.#pause);
    await this.#attempt;
    const holder = this.#holder;
    this.#holder = undefined;
    holder?.ref?.();
    await end(holder);
  }

  async #try(): Promise<void> {
    let client: DedicatedClient | undefined;
    try {
      client = makeClient(this.#pool);
      if (client !== undefined && (await this.#hold(client))) return;
      this.#over = true;
    } catch {
      this.#tryLater();
    }
    await end(client);
  }

  async #hold(client: DedicatedClient): Promise<boolean> {
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    await client.connect();
    const { rows } = await client.query({ text: takeLock, values: [this.key, client.processID ?? 0] });
    if (rows[0]?.held !== "true") return false;
    await client.query({ text: watchConnection });
    client.on("notification", (message) => this.#handOn(message));
    for (const channel of this.#channels.keys()) await client.query({ text: `LISTEN ${channel}` });
    this.#holder = client;
    this.#failures = 0;
    client.unref?.();
    for (const handlers of this.#channels.values()) for (const handler of handlers) handler();
    return true;
  }

  /** A connection that is opened later listens by itself. */
  async #listenOn(channel: string, handler: NotificationHandler): Promise<void> {
    const holder = this.#holder;
    if (holder === undefined) return void (await this.take());
    try {
      await holder.query({ text: `LISTEN ${channel}` });
      if (this.#channels.get(channel)?.has(handler)) handler();
    } catch {
      // the connection broke
    }
  }

  #handOn({ channel, payload }: PostgresNotification): void {
    for (const handler of this.#channels.get(channel) ?? []) handler(payload ?? "");
  }

  #lose(client: DedicatedClient): void {
    if (this.#holder !== client) return;
    this.#holder = undefined;
    void end(client);
    void this.take();
  }

  #tryLater(): void {
    if (this.#over) return;
    const delay = Math.min(shortestPauseMs * 2 ** this.#failures++, longestPauseMs);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      void this.take();
    }, delay).unref();
  }
}

/** Locks in use, by pool. */
const locks = new WeakMap<PostgresPool, SessionLock>();

const shortestPauseMs = 50;
const longestPauseMs = 500;

/**
 * Behind a pooler that shares connections between clients, a lock would belong to the next user of the connection. Such a pooler
 * reports different process ids; the comparison detects it, and no lock is taken.
 */
const takeLock = `SELECT CASE WHEN pg_backend_pid() = $2::int
THEN pg_try_advisory_lock_shared($1::bigint) ELSE false END::text AS held`;

/** Makes the server notice within a minute that the host of a process is gone, and keep the idle session open. */
const watchConnection = `SELECT set_config(name, value, false) FROM pg_settings JOIN (VALUES
('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
('idle_session_timeout', '0')) AS wanted (name, value) USING (name)`;

async function end(client: DedicatedClient | undefined): Promise<void> {
  await client?.end().catch(() => undefined);
}
