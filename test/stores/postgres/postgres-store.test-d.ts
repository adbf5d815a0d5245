import type { CheckpointStore } from "kumiko";
import type { ClosableStore } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import pg from "pg";
import { expectTypeOf, it } from "vitest";

const connectionString = "postgres://localhost";
const pool = new pg.Pool();

it("takes a connection string or a pool of pg, and gives a store that can be closed", () => {
  expectTypeOf(postgresStore({ connectionString })).toEqualTypeOf<ClosableStore>();
  expectTypeOf(postgresStore({ pool }, { table: "app.runs" })).toExtend<CheckpointStore>();
  postgresStore({ connectionString }, { table: undefined });
});

it("takes nothing else", () => {
  // @ts-expect-error neither
  postgresStore({});
  // @ts-expect-error both
  postgresStore({ connectionString, pool });
  // @ts-expect-error a client has one connection only
  postgresStore({ pool: new pg.Client() });
  // @ts-expect-error the connection string goes into an object
  postgresStore(connectionString);
  // @ts-expect-error there is no such option
  postgresStore({ connectionString }, { tableName: "runs" });
});
