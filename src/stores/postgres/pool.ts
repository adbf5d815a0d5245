import { loadPackage } from "../../optional-package.js";

/** A statement as `pg` takes it. */
export interface PostgresQuery {
  /** The SQL text. */
  text: string;
  /** The name under which a connection prepares it. */
  name?: string;
  /** The values of `$1`, `$2` … */
  values?: unknown[];
}

/** The part of a result of `pg` that the store reads. */
export interface PostgresResult {
  /** The rows of the result. */
  rows: Record<string, unknown>[];
  /** How many rows were changed or returned. */
  rowCount: number | null;
}

/** The part of a `Pool` of the package `pg` that the store uses. */
export interface PostgresPool {
  /** Runs a statement on any connection. */
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** How many connections are open. */
  readonly totalCount: number;
}

/** A pool that the store has created and must end. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/** What another connection has sent with NOTIFY. */
export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A dedicated connection, outside a pool. */
export interface DedicatedClient {
  connect(): Promise<unknown>;
  query(query: PostgresQuery): Promise<PostgresResult>;
  end(): Promise<void>;
  on(event: "error" | "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: PostgresNotification) => void): unknown;
  /** The id of the server process behind this connection. */
  readonly processID?: number | null;
  ref?(): void;
  unref?(): void;
}

/** Creates a pool, which does not connect yet. Idle connections do not keep the process alive. */
export async function makePool(connectionString: string, store: string): Promise<OwnPool> {
  const { Pool } = await loadDriver(store);
  const pool = new Pool({ connectionString, allowExitOnIdle: true, keepAlive: true });
  // an idle connection broke: the pool has already removed it, and opens a new one when needed
  pool.on("error", () => undefined);
  return pool;
}

/** Creates a client with the options of the pool; `undefined` if the pool does not expose them. */
export function makeClient(pool: PostgresPool): DedicatedClient | undefined {
  const { Client, options } = pool as PostgresPool & PoolInside;
  return Client && new Client(options);
}

/** Properties that every pool of `pg` has, but its types leave out. */
interface PoolInside {
  readonly Client?: new (options: unknown) => DedicatedClient;
  readonly options?: unknown;
}

/** The connection string that a pool was made with, if it was. */
export function connectionStringOf(pool: PostgresPool): string | undefined {
  const { options } = pool as PostgresPool & PoolInside;
  const isObject = typeof options === "object" && options !== null;
  const text = isObject && "connectionString" in options ? options.connectionString : undefined;
  return typeof text === "string" ? text : undefined;
}

function loadDriver(store: string) {
  return loadPackage("pg", `A ${store} with a connectionString`, () => import("pg"));
}
