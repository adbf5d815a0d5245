import { randomId } from "../../callbacks/random-id.js";
import { KumikoError } from "../../errors.js";
import {
  checkpointInUse,
  endedWhileClaiming,
  finishedCheckpoint,
  inCheckpoint,
  notBegun,
  nothingSaved,
  pendingCheckpoint,
  unknownCheckpoint,
} from "../checkpoint-errors.js";
import type { StoredCheckpoint } from "../checkpoint-store.js";
import type { CheckpointDocument } from "../document/document.js";
import { readDocument } from "../document/read-document.js";
import type { RunSnapshot } from "../document/snapshot.js";
import { isConflict } from "../errors.js";
import type { ValueCodec } from "../values/value-codec.js";
import type { DrivenRun } from "./driven.js";
import { claimedWrite, type OwnDocument, type Write } from "./own-document.js";
import { OwnRow } from "./own-row.js";
import { runningClaims } from "./running-claims.js";
import { callStore, readRow, storeError } from "./store-calls.js";

export interface ClaimOptions {
  readonly forceNewRun?: boolean | undefined;
  readonly takeover?: boolean | undefined;
}

/** Makes a stopped run ready to continue; returns the ids of the questions that it has answered. */
export type Prepare = (document: CheckpointDocument) => readonly string[] | Promise<readonly string[]>;

export interface ClaimSettings {
  readonly row: OwnRow;
  readonly document: OwnDocument;
  readonly codec: ValueCodec;
  readonly options: ClaimOptions;
  /** Set if a segment drives the run: it has read the row, and knows that it may be claimed. */
  readonly driven: DrivenRun | undefined;
  /** Whether the run has ended meanwhile: then the claim must be given back. */
  readonly isOver: () => boolean;
}

/** How often a takeover tries again. */
const mostTries = 1_000;
/** How often a claim tries again when a late write of an ended run may have interfered. */
const mostRetries = 3;

/** Claims the row of a run by compare-and-swap, before any node runs. If the run ends meanwhile, the row is restored. */
export class CheckpointClaim {
  /** Whether the row is that of a new run, or of a new copy. */
  isNew = false;
  /** The content of the row before a new run. */
  replaced: StoredCheckpoint | undefined = undefined;
  readonly #settings: ClaimSettings;
  /** The document that the claim saves: a new run before its first node, or the run that continues. */
  #start: RunSnapshot | undefined = undefined;
  /** The cause that the history records for the claim; `undefined` when a run continues. */
  #cause: "start" | "fork" | undefined = undefined;
  /** The row had a claim of this process whose run has ended. */
  #foundEnded = false;

  constructor(settings: ClaimSettings) {
    this.#settings = settings;
  }

  /** Claims the id for a new run. Usually the row does not exist yet: then one call of the store is enough. */
  async forNewRun(start: RunSnapshot | undefined): Promise<undefined> {
    this.isNew = true;
    this.#start = start;
    this.#cause = "start";
    const { driven } = this.#settings;
    if (driven?.isOfTurn === false) {
      await this.#put(driven.found?.row);
      this.replaced = driven.found?.row;
      return undefined;
    }
    const { forceNewRun, takeover } = this.#settings.options;
    if (forceNewRun !== true || takeover === true) {
      try {
        await this.#put(undefined);
        return undefined;
      } catch (error) {
        if (!isInUse(error)) throw error;
      }
    }
    await this.#persistently(() => this.#replace());
    return undefined;
  }

  /** Claims the run under `id`, after `prepare` has seen it. When it is written under another id, it continues as a copy. */
  forStoppedRun(id: string, prepare: Prepare): Promise<RunSnapshot> {
    return this.#persistently(() => this.#open(id, prepare));
  }

  /** Tries again where another write may have come between the read and the claim. */
  async #persistently<T>(claim: () => Promise<T>): Promise<T> {
    const { takeover } = this.#settings.options;
    for (let tries = 1; ; tries++) {
      try {
        return await claim();
      } catch (error) {
        const most = takeover === true ? mostTries : this.#foundEnded ? mostRetries : 1;
        if (this.#settings.driven?.isOfTurn === false || !isInUse(error) || tries >= most) throw error;
      }
    }
  }

  /** Claims an id that has no unfinished run, or one that is discarded. */
  async #replace(): Promise<void> {
    const { row, options } = this.#settings;
    const { forceNewRun = false, takeover = false } = options;
    const found = await readRow(row.store, row.id);
    // with both options the document is not read, so that one that cannot be read can be replaced too
    if (found !== undefined && !(forceNewRun && takeover)) {
      const document = this.#read(row.id, found);
      if (!takeover) await this.#checkOwner(row.id, document);
      const isOpen = document.status !== "finished" && (document.root ?? document.given) !== undefined;
      if (isOpen && !forceNewRun) throw pendingCheckpoint(row.id);
    }
    await this.#put(found);
    this.replaced = found;
    if (found !== undefined) await row.history?.drop(row.store, row.id);
  }

  async #open(id: string, prepare: Prepare): Promise<RunSnapshot> {
    const { row, document: own, options, driven } = this.#settings;
    const found = driven?.found?.row ?? (await readRow(row.store, id));
    if (found === undefined) throw unknownCheckpoint(id);
    const document = driven?.found?.document ?? this.#read(id, found);
    const isFree = document.owner === undefined || options.takeover === true || driven?.found !== undefined;
    if (!isFree) await this.#checkOwner(id, document);
    if (document.status === "finished") throw finishedCheckpoint(id);
    const { root } = document;
    if (root === undefined) throw document.given === undefined ? nothingSaved(id) : notBegun(id);
    const isCopy = id !== row.id;
    if (!isCopy) own.load(document, found);
    const preparing = prepare(document);
    const answers = preparing instanceof Promise ? await preparing : preparing;
    const copyOf = isCopy ? `${id}#${document.entry?.n ?? 0}` : undefined;
    const answered = answers.length === 0 ? document.answered : answers;
    own.continue({
      runKey: isCopy ? randomId() : document.runKey,
      answered,
      copyOf,
      input: document.input,
      attempts: driven?.attempts ?? 0,
      startedAt: isCopy ? undefined : document.startedAt,
    });
    if (isCopy) this.#cause = "fork";
    this.#start = root;
    if (isCopy) await this.#copy(id, found);
    else await this.#put(found);
    return root;
  }

  /**
   * Continues the run under another id, as a run of its own. The original is claimed meanwhile, without the answers of the copy,
   * and then restored.
   */
  async #copy(id: string, found: StoredCheckpoint): Promise<void> {
    this.isNew = true;
    const claim = runningClaims.open();
    const original = new OwnRow(this.#settings.row.store, id, () => checkpointInUse(id, undefined));
    try {
      await this.#putInto(original, claimedWrite(found, claim, original.appends), found);
      try {
        await this.#replace();
      } catch (error) {
        await original.restore(found).catch(ignore);
        throw error;
      }
      // on a conflict, another process has taken the original over: it is left alone
      await original.restore(found).catch(unlessConflict);
    } finally {
      runningClaims.close(claim);
    }
  }

  #put(found: StoredCheckpoint | undefined): Promise<void> {
    const { row, document } = this.#settings;
    const write = document.next({ status: "running", claims: true, cause: this.#cause }, this.#start);
    if (write === undefined) return Promise.resolve();
    return this.#putInto(row, write, found).catch((error: unknown) => {
      document.unclaimed();
      throw error;
    });
  }

  /** Of two claims at the same time, the second meets another version and fails. */
  async #putInto(row: OwnRow, write: Write, found: StoredCheckpoint | undefined): Promise<void> {
    const { isOver } = this.#settings;
    if (isOver()) throw endedWhileClaiming(row.id);
    try {
      row.confirm(await row.call(write, found?.version));
    } catch (error) {
      if (isConflict(error)) throw checkpointInUse(row.id, undefined);
      await row.undo(write, found);
      throw storeError("write", row.id, error);
    }
    if (!isOver()) return;
    await row.restore(found);
    row.version = undefined;
    throw endedWhileClaiming(row.id);
  }

  async #checkOwner(id: string, { owner, claim }: CheckpointDocument): Promise<void> {
    if (owner === undefined) return;
    this.#foundEnded = runningClaims.hasEnded(owner, claim);
    if (this.#foundEnded) return;
    const { store } = this.#settings.row;
    const isAlive =
      store.isOwnerAlive === undefined ||
      (await callStore("ask for the owner of", id, () => store.isOwnerAlive?.(owner)));
    if (isAlive !== false) throw checkpointInUse(id, owner);
  }

  #read(id: string, row: StoredCheckpoint): CheckpointDocument {
    try {
      return readDocument(row, this.#settings.codec);
    } catch (error) {
      throw KumikoError.is(error) ? inCheckpoint(id, error) : error;
    }
  }
}

const isInUse = (error: unknown): boolean => KumikoError.is(error) && error.code === "CHECKPOINT_IN_USE";

function unlessConflict(error: unknown): void {
  if (!isConflict(error)) throw error;
}

function ignore(): void {}
