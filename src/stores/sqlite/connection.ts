export type SqliteValue = number | string | Uint8Array;
export type SqliteRow = Readonly<Record<string, unknown>>;

/** What opens databases: `node:sqlite`, or `libsql`. */
export interface SqliteDriver {
  open(location: string): SqliteConnection;
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

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }
}

/** SQLite keeps details in the higher bits of its numbers. */
export function primaryCode(code: unknown): number | undefined {
  return typeof code === "number" ? code & 0xff : undefined;
}
