import { setTimeout as pause } from "node:timers/promises";
import { parseProcessOwner, processOwner } from "../../checkpoint/journal/process-owner.js";
import { isProcessOwnerAlive } from "../owner-alive.js";
import { ownerLockKey } from "./lock-key.js";
import type { Table } from "./table.js";

/** Finds out whether the owner of a claim is gone: by its pid on this host, by its lock on other hosts. */
export class OwnerCheck {
  readonly #table: Table;
  /** Owners found to be gone. Names are never reused, so the second check need not wait for them. */
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

  /** Whether the owner holds its lock, or has never written while holding one, so that a missing lock proves nothing. */
  async #mayBeConnected(owner: string): Promise<boolean> {
    const wrote = `EXISTS (SELECT FROM ${this.#table.name} WHERE session_lock = $1::bigint)`;
    const question = `SELECT (${holdsLock} OR NOT ${wrote})::text AS maybe`;
    const { rows } = await this.#table.query("isOwnerAlive", question, [ownerLockKey(owner)]);
    return rows[0]?.maybe !== "false";
  }
}

/**
 * After a broken connection or a restart of the server, a living process has no lock for a moment. It takes the lock again
 * within half a second if it can: see `SessionLock`.
 */
const secondLookMs = 3_000;

const holdsLock = `EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 1 AND granted
AND (classid::bigint << 32) | objid::bigint = $1::bigint)`;

/** Whether the pid is conclusive: the process started on this host since its last boot, in the same container. */
function runsHere(owner: string): boolean {
  const [named, own] = [parseProcessOwner(owner), parseProcessOwner(processOwner())];
  return named !== undefined && named.host === own?.host && scopeOf(named.start) === scopeOf(own.start);
}

/** A start without its last part, the time: the scope in which pids can be compared. */
const scopeOf = (start: string): string => start.slice(0, start.lastIndexOf(":"));
