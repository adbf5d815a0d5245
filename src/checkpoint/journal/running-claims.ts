import { randomId } from "../../callbacks/random-id.js";
import { processOwner } from "./process-owner.js";

/**
 * The claims of this thread whose runs have not ended. Each document names its claim, so a process can tell which of the
 * documents that it has claimed are free again. The threads of a process share its name but not this list, so each thread
 * judges only its own claims.
 */
class RunningClaims {
  #thread: string | undefined = undefined;
  #last = 0;
  readonly #running = new Set<string>();

  /** Opens a claim and returns its name. */
  open(): string {
    this.#thread ??= randomId().slice(0, 16);
    const claim = `${this.#thread}.${++this.#last}`;
    this.#running.add(claim);
    return claim;
  }

  /** Closes a claim: its run has ended, or did not get it. */
  close(claim: string | undefined): void {
    if (claim !== undefined) this.#running.delete(claim);
  }

  /** Whether a claim was made by a run of this thread that has ended. */
  hasEnded(owner: string, claim: string | undefined): boolean {
    if (claim === undefined || this.#thread === undefined) return false;
    return claim.startsWith(`${this.#thread}.`) && !this.#running.has(claim) && owner === processOwner();
  }
}

export const runningClaims = new RunningClaims();
