import type { Scope } from "../scope.js";
import type { TaskStream } from "../task.js";

/**
 * The streams of the nodes of a run, those of nested graphs included: to find out which one an error came from, and to
 * stop the producers of what nobody will read.
 */
export class OpenStreams {
  #streams: TaskStream[] = [];
  #tidyAt = tidySize;

  /** Whatever comes after its run was stopped is stopped too. */
  add(stream: TaskStream): void {
    const { scope } = stream.task;
    if (scope.aborted) {
      stream.cancel(scope.reason);
      return;
    }
    this.#streams.push(stream);
    if (this.#streams.length >= this.#tidyAt) this.#tidy();
  }

  /** The stream whose last read failed with this error; of several that handed it on, the one that began first. */
  async findFailed(error: unknown): Promise<TaskStream | undefined> {
    const failed = new Set<TaskStream>();
    const streams = [...this.#streams];
    for (const stream of streams) stream.ifFailedWith(error, () => failed.add(stream));
    await undefined;
    return streams.find((stream) => failed.has(stream));
  }

  /** Cancels the streams of a run and of what is nested in it. */
  cancel(reason: unknown, within: Scope): void {
    const streams = this.#streams;
    this.#streams = streams.filter(({ task }) => !isInside(task.scope, within));
    for (const stream of streams) if (isInside(stream.task.scope, within)) stream.cancel(reason);
  }

  /** A loop that streams makes ever more streams: those that have ended are forgotten. They say so a little later. */
  #tidy(): void {
    this.#streams = this.#streams.filter((stream) => !stream.ended);
    for (const stream of this.#streams) stream.look();
    this.#tidyAt = Math.max(tidySize, 2 * this.#streams.length);
  }
}

const tidySize = 256;

function isInside(scope: Scope, outer: Scope): boolean {
  for (let current: Scope | undefined = scope; current !== undefined; current = current.parent) {
    if (current === outer) return true;
  }
  return false;
}
