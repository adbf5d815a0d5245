import type { Scope } from "../scope.js";
import type { TaskStream } from "../task.js";

/**
 * The open streams of a run's nodes, nested graphs included: used to find the origin of an error, and to cancel streams that
 * will not be read.
 */
export class OpenStreams {
  #streams: TaskStream[] = [];
  #tidyAt = tidySize;

  /** A stream of an aborted run is cancelled at once. */
  add(stream: TaskStream): void {
    const { scope } = stream.task;
    if (scope.aborted) {
      stream.cancel(scope.reason);
      return;
    }
    this.#streams.push(stream);
    if (this.#streams.length >= this.#tidyAt) this.#tidy();
  }

  /** Locates an error at the node whose stream it came from, if there is one; otherwise returns it unchanged. */
  async findOrigin(error: unknown): Promise<unknown> {
    const task = (await this.#findFailed(error))?.task;
    return task === undefined ? error : task.owner.blame(error, task.index);
  }

  /** The stream whose last read failed with this error; of several that passed it on, the one that was opened first. */
  async #findFailed(error: unknown): Promise<TaskStream | undefined> {
    const failed = new Set<TaskStream>();
    const streams = [...this.#streams];
    for (const stream of streams) stream.ifFailedWith(error, () => failed.add(stream));
    await undefined;
    return streams.find((stream) => failed.has(stream));
  }

  /** Cancels the streams whose tasks are inside a scope. */
  cancel(reason: unknown, within: Scope): void {
    const streams = this.#streams;
    this.#streams = streams.filter(({ task }) => !isInside(task.scope, within));
    for (const stream of streams) if (isInside(stream.task.scope, within)) stream.cancel(reason);
  }

  /** A loop keeps opening streams, so ended ones are dropped. `look` updates `ended` for the next time. */
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
