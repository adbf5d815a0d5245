import type { Task } from "../task.js";

/** How long a finished item waits for others to be saved with. */
const groupMs = 50;

/** Of all items, how many may have finished without being saved, besides those that `concurrency` allows to run again. */
const part = 0.02;

interface Listener {
  saved(): void;
  failed(error: unknown): void;
}

/**
 * Saves finished items in groups, in a run that is saved after every finished task: a group is closed after 50 ms, or when so
 * many are unsaved or under way that a kill would repeat too many.
 */
export class ItemSaves {
  readonly #at: Task;
  readonly #concurrency: number;
  readonly #listener: Listener;
  #limit: number;
  /** Finished, and not known to be saved. */
  #unsaved = 0;
  #isSaving = false;
  #timer: unknown = undefined;
  #isClosed = false;

  constructor(at: Task, concurrency: number, listener: Listener) {
    this.#at = at;
    this.#concurrency = concurrency;
    this.#limit = concurrency;
    this.#listener = listener;
  }

  /** So many items are known of. */
  count(total: number): void {
    this.#limit = Math.max(this.#concurrency, Math.floor(total * part));
  }

  finished(): void {
    this.#unsaved++;
    this.#timer ??= this.#isSaving ? undefined : this.#at.runtime.clock.setTimer(() => this.#save(), groupMs);
  }

  /** Whether no further item may begin beside those that run, before some are saved. */
  mustWait(running: number): boolean {
    if (this.#unsaved === 0 || running + this.#unsaved < this.#limit) return false;
    this.#save();
    return this.#isSaving;
  }

  close(): void {
    this.#isClosed = true;
    this.#clearTimer();
  }

  #save(): void {
    this.#clearTimer();
    if (this.#isSaving || this.#isClosed) return;
    const group = this.#unsaved;
    const saving = this.#at.commit();
    if (saving === undefined) {
      this.#unsaved -= group;
      return;
    }
    this.#isSaving = true;
    saving.then(
      () => {
        this.#isSaving = false;
        if (this.#isClosed) return;
        this.#unsaved -= group;
        if (this.#unsaved > 0) this.#timer ??= this.#at.runtime.clock.setTimer(() => this.#save(), groupMs);
        this.#listener.saved();
      },
      (error) => this.#listener.failed(error),
    );
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#at.runtime.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}
