import { randomId } from "../../callbacks/random-id.js";
import { processOwner } from "./process-owner.js";

/**
 * The claims of this thread whose runs have not ended. A claim is named in its document: so a process knows which of the
 * documents that bear its name are nobody's any more. The threads of a process share its name and not this list, so each
 * judges its own claims only.
 */
class RunningClaims {
  #thread: string | undefined = undefined;
  #last = 0;
  readonly #running = new Set<string>();

  /** The name of a new claim, which is running from now on. */
  open(): string {
    this.#thread ??= randomId().slice(0, 16);
    const claim = `${this.#thread}.${++this.#last}`;
    this.#running.add(claim);
    return claim;
  }

  /** The run has ended, or did not get the claim. */
  close(claim: string | undefined): void {
    if (claim !== undefined) this.#running.delete(claim);
  }

  /** Whether a document was claimed by a run of this thread that has ended: then the claim is free. */
  hasEnded(owner: string, claim: string | undefined): boolean {
    if (claim === undefined || this.#thread === undefined) return false;
    return claim.startsWith(`${this.#thread}.`) && !this.#running.has(claim) && owner === processOwner();
  }
}

export const runningClaims = new RunningClaims();
