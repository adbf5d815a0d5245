import { type LoneClient, makeClient, type PostgresPool } from "./pool.js";

/**
 * A lock that the server holds for this process as long as it is connected: how others see, from any host, that it is
 * there. It has a connection of its own, which all stores on one pool share. When that breaks, it tries at once, and then
 * about twice a second, to take the lock on another one.
 */
export class SessionLock {
  readonly #pool: PostgresPool;
  readonly #key: string;
  #holder: LoneClient | undefined;
  #attempt: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failures = 0;
  #users = 0;
  /** Nobody uses it any more, or it cannot be had here. */
  #over = false;

  /** Of a process whose stores use this pool. Each `open` wants a `close`. */
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
    this.#key = key;
  }

  /** Takes it when it is not held, and says whether it is held now. A failure is no error: it tries again by itself. */
  async take(): Promise<boolean> {
    if (this.#holder === undefined && this.#pause === undefined && !this.#over) {
      this.#attempt ??= this.#try().finally(() => {
        this.#attempt = undefined;
      });
    }
    await this.#attempt;
    return this.#holder !== undefined;
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
    let client: LoneClient | undefined;
    try {
      client = makeClient(this.#pool);
      if (client !== undefined && (await this.#hold(client))) return;
      this.#over = true;
    } catch {
      this.#tryLater();
    }
    await end(client);
  }

  async #hold(client: LoneClient): Promise<boolean> {
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    await client.connect();
    const { rows } = await client.query({ text: takeLock, values: [this.#key, client.processID ?? 0] });
    if (rows[0]?.held !== "true") return false;
    await client.query({ text: watchConnection });
    this.#holder = client;
    this.#failures = 0;
    client.unref?.();
    return true;
  }

  #lose(client: LoneClient): void {
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

/** Locks that are in use. */
const locks = new WeakMap<PostgresPool, SessionLock>();

const shortestPauseMs = 50;
const longestPauseMs = 500;

/**
 * Behind a pooler that lends connections by transaction, a lock would belong to whoever has the connection next. Such a
 * pooler numbers its connections on its own: then there is no lock.
 */
const takeLock = `SELECT CASE WHEN pg_backend_pid() = $2::int
THEN pg_try_advisory_lock_shared($1::bigint) ELSE false END::text AS held`;

/** The server notices within a minute that the host of a process is gone, and does not mind that nothing is said. */
const watchConnection = `SELECT set_config(name, value, false) FROM pg_settings JOIN (VALUES
('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
('idle_session_timeout', '0')) AS wanted (name, value) USING (name)`;

async function end(client: LoneClient | undefined): Promise<void> {
  await client?.end().catch(() => undefined);
}
