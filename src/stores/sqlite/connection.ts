/** Numbers are bound as reals; whole ones that have to stay whole are given as bigints. */
export type SqliteValue = number | bigint | string | Uint8Array;
export type SqliteRow = Readonly<Record<string, unknown>>;

export type DriverName = "node:sqlite" | "libsql";

/** What opens databases: `node:sqlite`, or `libsql`. */
export interface SqliteDriver {
  readonly name: DriverName;
  /** Opens a database, with an extension of SQLite when the path of one is given. No other one can be loaded later. */
  open(location: string, extension?: string): SqliteConnection;
  /** SQLite's own number for what went wrong, without its details; `undefined` for all other errors. */
  resultCode(error: unknown): number | undefined;
}

/** A connection as a driver makes it. */
export interface DriverConnection<Statement> {
  exec(script: string): unknown;
  prepare(statement: string): Statement;
  /** Runs a statement to its end, so that it is committed, and gives its rows. */
  all(statement: Statement, values: SqliteValue[]): unknown[];
  close(): unknown;
}

/** One connection to a database. All that it does it does at once, and it throws what its driver throws. */
export class SqliteConnection<Statement = unknown> {
  readonly #connection: DriverConnection<Statement>;
  readonly #statements = new Map<string, Statement>();

  constructor(connection: DriverConnection<Statement>) {
    this.#connection = connection;
  }

  /** Runs statements that take and give nothing. */
  run(script: string): void {
    this.#connection.exec(script);
  }

  /** Runs one statement, which is prepared once, and gives its rows. */
  query(text: string, ...values: SqliteValue[]): SqliteRow[] {
    const statement = this.#statements.get(text) ?? this.#connection.prepare(text);
    this.#statements.set(text, statement);
    return this.#connection.all(statement, values) as SqliteRow[];
  }

  /** Runs one statement that is made for its values, and is not worth keeping. */
  queryOnce(text: string, values: readonly SqliteValue[]): SqliteRow[] {
    return this.#connection.all(this.#connection.prepare(text), [...values]) as SqliteRow[];
  }

  /** Does all of it or nothing; nobody else writes meanwhile, or what is read stays as it was. */
  transaction<T>(kind: "read" | "write", work: () => T): T {
    this.run(kind === "read" ? "BEGIN" : "BEGIN IMMEDIATE");
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.run("ROLLBACK");
    } catch {
      // what went wrong has ended the transaction already
    }
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }
}

/** SQLite keeps details in the higher bits of its numbers. */
export function primaryCode(code: unknown): number | undefined {
  return typeof code === "number" ? code & 0xff : undefined;
}

/** What a driver gives for bytes: an ArrayBuffer, or a view of one. */
export function asBytes(value: unknown): Uint8Array {
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value as ArrayBuffer);
}
