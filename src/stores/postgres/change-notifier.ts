import type { RunIndex, RunRow } from "../../checkpoint/runs/run-index.js";
import { runRow, runStatuses } from "../../checkpoint/runs/run-query.js";
import { isFields, textIf } from "../../is.js";
import { type Database, prepared } from "./database.js";
import type { Table } from "./table.js";

/**
 * Sends a notification of each change, in a statement of its own after the write: within it, commits would wait for each other.
 * One statement is under way at a time, so that at most one connection is taken from writes; what changes meanwhile is sent
 * together. A notification that fails is lost.
 */
export class ChangeNotifier {
  readonly #database: Database;
  readonly #table: Table;
  #waiting: string[] = [];
  #sending: Promise<void> | undefined;

  constructor(database: Database, table: Table) {
    this.#database = database;
    this.#table = table;
  }

  notify(id: string, index: RunIndex): void {
    if (this.#waiting.length < mostWaiting) this.#waiting.push(payloadOf(runRow(id, index)));
    else this.#waiting = [lookAtEverything];
    this.#sending ??= this.#send();
  }

  /** Resolves when all have been sent. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const payloads = this.#waiting;
      this.#waiting = [];
      try {
        await this.#database.query("a notification", send, [await this.#table.channel(), JSON.stringify(payloads)]);
      } catch {
        // listeners find the change when they look again
      }
    }
    this.#sending = undefined;
  }
}

/** The run of a notification; `undefined`: look at everything. */
export function readPayload(payload: string | undefined): RunRow | undefined {
  const row = parse(payload);
  if (!isFields(row)) return undefined;
  const { id, graph, since, owner, due, threadId, userId } = row;
  const status = runStatuses.find((known) => known === row.status);
  if (typeof id !== "string" || typeof graph !== "string" || typeof since !== "number" || !status) return undefined;
  const texts = { owner: textIf(owner), threadId: textIf(threadId), userId: textIf(userId) };
  return runRow(id, { status, graph, since, due: typeof due === "number" ? due : undefined, ...texts });
}

function parse(payload: string | undefined): unknown {
  try {
    return payload && JSON.parse(payload);
  } catch {
    return undefined; // somebody else uses the channel
  }
}

const lookAtEverything = "";
const mostWaiting = 1_000;
/** PostgreSQL refuses payloads of 8,000 bytes. */
const longestPayload = 7_900;

function payloadOf(row: RunRow): string {
  const payload = JSON.stringify(row);
  return Buffer.byteLength(payload) > longestPayload ? lookAtEverything : payload;
}

/** Nothing is lost that others do not find by themselves, so the commit does not wait for the disk. */
const send = prepared(`SELECT set_config('synchronous_commit', 'off', true), (SELECT count(pg_notify($1, payload))
FROM json_array_elements_text($2::json) AS payload)`);
