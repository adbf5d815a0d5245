import { checkOptions } from "../../check-options.js";
import type { PostgresConnection, StoreName } from "./database.js";
import { noConnection } from "./errors.js";

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /**
   * The name of the table, `table` or `schema.table`, without quotes. A second table, whose name ends in `_entries`, is created
   * as well.
   * @default "kumiko_checkpoints"
   */
  readonly table?: string | undefined;
}

const connectionNames: readonly string[] = ["connectionString", "pool"] satisfies (keyof PostgresConnection)[];

/** Throws for invalid options, for callers without a type checker. */
export function checkStoreOptions(
  store: StoreName,
  connection: PostgresConnection,
  options: object,
  known: readonly string[],
): void {
  if (typeof connection !== "object" || connection === null) throw noConnection(store);
  checkOptions(store, connection, connectionNames);
  checkOptions(store, options, known);
  const { connectionString, pool } = connection;
  if ((connectionString === undefined) === (pool === undefined)) throw noConnection(store);
  if (connectionString === undefined ? !isPool(pool) : typeof connectionString !== "string" || connectionString === "")
    throw noConnection(store);
}

/** Whether it is a pool. A client is not accepted, because it cannot reconnect after its connection breaks. */
function isPool(pool: unknown): boolean {
  return (
    typeof pool === "object" &&
    pool !== null &&
    "query" in pool &&
    typeof pool.query === "function" &&
    "totalCount" in pool
  );
}
