import type { ChunkSource } from "../../schema/stream/source.js";
import type { WorkflowEvent } from "./workflow-event.js";

type Result = IteratorResult<WorkflowEvent, undefined>;

/** The events of a run for one reader. Unread events are buffered; a reader that leaves early misses the rest. */
export class EventChannel implements ChunkSource<WorkflowEvent> {
  #buffer: WorkflowEvent[] = [];
  #readers: ((result: Result) => void)[] = [];
  #isClosed = false;

  write(event: WorkflowEvent): void {
    if (this.#isClosed) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#buffer.push(event);
    else reader({ done: false, value: event });
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }

  next(): Promise<Result> {
    const event = this.#buffer.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  cancel(): void {
    this.#buffer = [];
    this.close();
  }
}
