/** Numbers are bound as REAL; pass a bigint to bind an INTEGER. */
export type SqliteValue = number | bigint | string | Uint8Array | null;
export type SqliteRow = Readonly<Record<string, unknown>>;

/** The package that opens the file: Node.js has `node:sqlite` from 22.13. */
export type DriverName = "node:sqlite" | "libsql";

/** A library that opens databases: `node:sqlite`, or `libsql`. */
export interface SqliteDriver {
  readonly name: DriverName;
  /** Opens a database, and loads an SQLite extension if a path is given. No extension can be loaded later. */
  open(location: string, extension?: string): SqliteConnection;
  /** SQLite's primary result code of an error; `undefined` for errors that are not from SQLite. */
  resultCode(error: unknown): number | undefined;
}

/** The operations that a driver provides. */
export interface DriverConnection<Statement> {
  exec(script: string): unknown;
  prepare(statement: string): Statement;
  /** Runs a statement to its end, so that it is committed, and returns its rows. */
  all(statement: Statement, values: SqliteValue[]): unknown[];
  close(): unknown;
}

/** A connection to a database. All methods are synchronous, and throw the errors of the driver. */
export class SqliteConnection<Statement = unknown> {
  readonly #connection: DriverConnection<Statement>;
  readonly #statements = new Map<string, Statement>();

  constructor(connection: DriverConnection<Statement>) {
    this.#connection = connection;
  }

  /** Runs statements without values and results. */
  run(script: string): void {
    this.#connection.exec(script);
  }

  /** Runs one statement, which is prepared once and cached, and returns its rows. */
  query(text: string, ...values: SqliteValue[]): SqliteRow[] {
    const statement = this.#statements.get(text) ?? this.#connection.prepare(text);
    this.#statements.set(text, statement);
    return this.#connection.all(statement, values) as SqliteRow[];
  }

  /** Runs one statement without caching it. */
  queryOnce(text: string, values: readonly SqliteValue[]): SqliteRow[] {
    return this.#connection.all(this.#connection.prepare(text), [...values]) as SqliteRow[];
  }

  /** Runs `work` in a transaction. In a "write" transaction no other connection writes; in a "read" one, data does not change. */
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
      // the error has already ended the transaction
    }
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }
}

/** The primary result code: SQLite keeps details in the higher bits. */
export function primaryCode(code: unknown): number | undefined {
  return typeof code === "number" ? code & 0xff : undefined;
}

/** The bytes of a BLOB. Drivers return an ArrayBuffer, or a view of one. */
export function asBytes(value: unknown): Uint8Array {
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value as ArrayBuffer);
}
