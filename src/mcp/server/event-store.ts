import type { EventStore, JSONRPCMessage } from "./sdk.js";

interface StoredEvent {
  readonly id: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

/** More than this a client cannot have missed. */
const mostEvents = 256;

/** What one session was sent last: a client whose stream was cut gets the rest of it. */
export class SessionEvents implements EventStore {
  readonly #events: StoredEvent[] = [];
  #count = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${streamId}:${this.#count}`;
    this.#events.push({ id, streamId, message });
    if (this.#events.length > mostEvents) this.#events.shift();
    return id;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#events.find(({ id }) => id === eventId)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#events.findIndex(({ id }) => id === lastEventId);
    const streamId = this.#events[from]?.streamId ?? lastEventId.slice(0, lastEventId.lastIndexOf(":"));
    for (const event of this.#events.slice(from + 1)) {
      // the first event of a stream is empty: it only names the place
      if (event.streamId === streamId && Object.keys(event.message).length > 0) await send(event.id, event.message);
    }
    return streamId;
  }
}
