import { setTimeout as pause } from "node:timers/promises";
import { parseProcessOwner, processOwner } from "../../checkpoint/journal/process-owner.js";
import { isProcessOwnerAlive } from "../owner-alive.js";
import { ownerLockKey } from "./lock-key.js";
import type { Table } from "./table.js";

/** Finds out whether owners of claims are gone: by their number on this host, by their lock on others. */
export class OwnerCheck {
  readonly #table: Table;
  /** Who looked gone once. A name is never used again, so a second look need not wait. */
  readonly #gone = new Set<string>();

  constructor(table: Table) {
    this.#table = table;
  }

  async isAlive(owner: string): Promise<boolean> {
    if (!isProcessOwnerAlive(owner)) return false;
    if (runsHere(owner) || (await this.#mayBeConnected(owner))) return true;
    if (!this.#gone.has(owner)) {
      await pause(secondLookMs);
      if (await this.#mayBeConnected(owner)) return true;
    }
    this.#gone.add(owner);
    return false;
  }

  /** Whether it holds its lock, or never wrote while it held one: then the lock says nothing. */
  async #mayBeConnected(owner: string): Promise<boolean> {
    const wrote = `EXISTS (SELECT FROM ${this.#table.name} WHERE session_lock = $1::bigint)`;
    const question = `SELECT (${holdsLock} OR NOT ${wrote})::text AS maybe`;
    const { rows } = await this.#table.query("isOwnerAlive", question, [ownerLockKey(owner)]);
    return rows[0]?.maybe !== "false";
  }
}

/**
 * A connection that broke, or a server that just came back, has no lock, although its process is there. That one is back
 * within half a second, when it can be: see `SessionLock`.
 */
const secondLookMs = 3_000;

const holdsLock = `EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 1 AND granted
AND (classid::bigint << 32) | objid::bigint = $1::bigint)`;

/** Whether the number of the process says all: it is one of this host, since its last boot and in this container. */
function runsHere(owner: string): boolean {
  const [named, own] = [parseProcessOwner(owner), parseProcessOwner(processOwner())];
  return named !== undefined && named.host === own?.host && placeOf(named.start) === placeOf(own.start);
}

/** A start without its last part, the moment. */
const placeOf = (start: string): string => start.slice(0, start.lastIndexOf(":"));
