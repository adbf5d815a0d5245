import type { ClosableStore } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import type pg from "pg";
import { afterAll, afterEach, beforeAll } from "vitest";
import { hookTimeout, openAdmin, type PostgresServer, password, startServer } from "./server.js";

/** A server for the tests of a suite, with a schema `app` and a role `guest` that may log in, and nothing else. */
export class TableServer {
  #server: PostgresServer | undefined;
  #admin: pg.Pool | undefined;
  readonly #stores: ClosableStore[] = [];

  constructor() {
    beforeAll(async () => {
      this.#server = await startServer();
      this.#admin = openAdmin(this.#server);
      await this.admin.query(`CREATE ROLE guest LOGIN PASSWORD '${password}'`);
      await this.admin.query("CREATE SCHEMA app");
      await this.admin.query("GRANT USAGE ON SCHEMA app TO guest");
    }, hookTimeout);
    afterEach(() => this.close());
    afterAll(async () => {
      await this.#admin?.end();
      await this.#server?.stop();
    });
  }

  get admin(): pg.Pool {
    if (this.#admin === undefined) throw new Error("The server has not been started.");
    return this.#admin;
  }

  /** The address of the user who owns the database. */
  get url(): string {
    if (this.#server === undefined) throw new Error("The server has not been started.");
    return this.#server.url();
  }

  get guestUrl(): string {
    const url = new URL(this.url);
    url.username = "guest";
    return url.href;
  }

  /** Closes all stores. */
  async close(): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
  }

  /** Closed after the test. */
  open(table?: string, connectionString = this.url): ClosableStore {
    const store = postgresStore({ connectionString }, { table });
    this.#stores.push(store);
    return store;
  }
}
