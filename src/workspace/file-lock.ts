import { randomId } from "../callbacks/random-id.js";
import { processOwner } from "../checkpoint/journal/process-owner.js";
import { isFields } from "../is.js";
import { isProcessOwnerAlive } from "../stores/owner-alive.js";
import { fileNotWritten } from "./errors.js";
import { ownMark } from "./file-path.js";
import { codeOf, fileSystem, type Place } from "./opened-folder.js";

/** After this time a lock is left over, whoever has made it: a write takes milliseconds. */
const staleMs = 30_000;
/** A lock that says nothing: its maker was killed before it could write. */
const emptyStaleMs = 2_000;

interface Holder {
  readonly owner: string;
  readonly token: string;
}

/**
 * A lock beside a file, which all processes see. It keeps two of them from replacing the same version; one that is left by a process
 * that is gone is removed.
 */
export class FileLock {
  readonly #path: string;
  readonly #token: string;
  /** Where the holder of the lock writes before it renames. */
  readonly temporaryName: string;

  private constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
    this.temporaryName = temporaryOf(token);
  }

  /** Waits until the file is free. */
  static async take(place: Place): Promise<FileLock> {
    const path = place.sibling(`${ownMark}${await shortHash(place.name)}.lock`);
    const lock = new FileLock(path, randomId());
    const until = Date.now() + 2 * staleMs;
    for (let wait = 1; !(await lock.#create()); wait = Math.min(wait * 2, 50)) {
      if (await lock.#removeStale(place)) continue;
      if (Date.now() > until) throw fileNotWritten(place.name, "other processes have been writing it all the time.");
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    return lock;
  }

  /** Whether it still is that of this holder: one that was frozen for long has lost it. */
  async isHeld(): Promise<boolean> {
    return (await holderAt(this.#path))?.token === this.#token;
  }

  async release(): Promise<void> {
    const { rm } = await fileSystem();
    if (await this.isHeld()) await rm(this.#path, { force: true });
  }

  async #create(): Promise<boolean> {
    const { open } = await fileSystem();
    const holder: Holder = { owner: processOwner(), token: this.#token };
    try {
      const handle = await open(this.#path, "wx");
      await handle.writeFile(JSON.stringify(holder)).finally(() => handle.close());
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** Removes the lock of a process that is gone, and what it was writing. */
  async #removeStale(place: Place): Promise<boolean> {
    const { lstat, rename, rm } = await fileSystem();
    const found = await lstat(this.#path).catch(() => undefined);
    if (found === undefined) return true;
    const holder = await holderAt(this.#path);
    const age = Date.now() - found.mtimeMs;
    const isGone = holder !== undefined && !isProcessOwnerAlive(holder.owner);
    if (!isGone && age < (holder === undefined ? emptyStaleMs : staleMs)) return false;
    // of several that remove it, one succeeds; it may have been replaced meanwhile by one that is not stale
    const removed = place.sibling(temporaryOf(`${this.#token}-lock`));
    await rename(this.#path, removed).catch(() => undefined);
    const taken = await holderAt(removed);
    if (taken !== undefined && taken.token === holder?.token)
      await rm(place.sibling(temporaryOf(taken.token)), { force: true });
    await rm(removed, { force: true });
    return true;
  }
}

const temporaryOf = (token: string): string => `${ownMark}${token}.tmp`;

async function holderAt(path: string): Promise<Holder | undefined> {
  const { readFile } = await fileSystem();
  try {
    const holder: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isFields(holder) || typeof holder.owner !== "string" || typeof holder.token !== "string") return undefined;
    return { owner: holder.owner, token: holder.token };
  } catch {
    return undefined;
  }
}

async function shortHash(name: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(name).digest("hex").slice(0, 24);
}
