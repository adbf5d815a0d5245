import type { PostgresConnection, StoreName } from "./database.js";
import { noConnection, unknownStoreOption } from "./errors.js";

export interface PostgresStoreOptions {
  /**
   * `table` or `schema.table`, without quotes. A second one, whose name ends in `_entries`, stands beside it.
   * @default "kumiko_checkpoints"
   */
  readonly table?: string | undefined;
}

const connectionNames: readonly string[] = ["connectionString", "pool"] satisfies (keyof PostgresConnection)[];

/** Says what plain JavaScript gets wrong. */
export function checkStoreOptions(
  store: StoreName,
  connection: PostgresConnection,
  options: object,
  known: readonly string[],
): void {
  if (typeof connection !== "object" || connection === null) throw noConnection(store);
  refuseOthers(store, connection, connectionNames);
  refuseOthers(store, options, known);
  const { connectionString, pool } = connection;
  if ((connectionString === undefined) === (pool === undefined)) throw noConnection(store);
  if (connectionString === undefined ? !isPool(pool) : typeof connectionString !== "string" || connectionString === "")
    throw noConnection(store);
}

function refuseOthers(store: StoreName, given: object, known: readonly string[]): void {
  const other = Object.keys(given).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownStoreOption(store, other, known);
}

/** Not a client, which has no connection for each of several calls, and none after it broke. */
function isPool(pool: unknown): boolean {
  return (
    typeof pool === "object" &&
    pool !== null &&
    "query" in pool &&
    typeof pool.query === "function" &&
    "totalCount" in pool
  );
}
