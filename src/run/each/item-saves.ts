import type { Task } from "../task.js";

/** How long a finished item waits for others to be saved with it. */
const groupMs = 50;

/** The part of all items that may be unsaved or running, if that is more than `concurrency`. */
const part = 0.02;

interface Listener {
  saved(): void;
  failed(error: unknown): void;
}

/**
 * Saves finished items in groups, with `durability: "step"`: a group is saved after 50 ms, or earlier if a crash would repeat
 * too many items.
 */
export class ItemSaves {
  readonly #at: Task;
  readonly #concurrency: number;
  readonly #listener: Listener;
  #limit: number;
  /** How many items have finished and are not known to be saved. */
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

  /** Sets the number of items known so far. */
  count(total: number): void {
    this.#limit = Math.max(this.#concurrency, Math.floor(total * part));
  }

  finished(): void {
    this.#unsaved++;
    this.#timer ??= this.#isSaving ? undefined : this.#at.runtime.clock.setTimer(() => this.#save(), groupMs);
  }

  /** Whether a save has to finish before another item may start. */
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
