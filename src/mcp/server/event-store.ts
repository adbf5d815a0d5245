import type { EventStore, JSONRPCMessage } from "./sdk.js";

interface StoredEvent {
  readonly id: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

/** How many events a session keeps. */
const maxEvents = 256;

/** The last events of a session, so that a client whose stream was cut off can resume it. */
export class SessionEvents implements EventStore {
  readonly #events: StoredEvent[] = [];
  #count = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${streamId}:${this.#count}`;
    this.#events.push({ id, streamId, message });
    if (this.#events.length > maxEvents) this.#events.shift();
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
      // the first event of a stream has no message: it only carries an id
      if (event.streamId === streamId && Object.keys(event.message).length > 0) await send(event.id, event.message);
    }
    return streamId;
  }
}
