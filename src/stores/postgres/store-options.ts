import type { PostgresConnection } from "./database.js";
import { noConnection, unknownStoreOption } from "./errors.js";

export interface PostgresStoreOptions {
  /** `table` or `schema.table`, without quotes. @default "kumiko_checkpoints" */
  readonly table?: string | undefined;
}

const optionNames: readonly string[] = ["table"] satisfies (keyof PostgresStoreOptions)[];
const connectionNames: readonly string[] = ["connectionString", "pool"] satisfies (keyof PostgresConnection)[];

/** Says what plain JavaScript gets wrong. */
export function checkStoreOptions(connection: PostgresConnection, options: PostgresStoreOptions): void {
  if (typeof connection !== "object" || connection === null) throw noConnection();
  refuseOthers(connection, connectionNames);
  refuseOthers(options, optionNames);
  const { connectionString, pool } = connection;
  if ((connectionString === undefined) === (pool === undefined)) throw noConnection();
  if (connectionString === undefined ? !isPool(pool) : typeof connectionString !== "string" || connectionString === "")
    throw noConnection();
}

function refuseOthers(given: object, known: readonly string[]): void {
  const other = Object.keys(given).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownStoreOption(other, known);
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
