import type { NodeContext } from "../../components/context.js";

/** A request that a server works on. */
export interface CallInFlight {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly ctx: NodeContext | undefined;
}

/** The requests that one server works on: what it asks meanwhile belongs to the only one, if there is only one. */
export class InFlight {
  readonly #calls = new Set<CallInFlight>();

  async during<T>(call: CallInFlight, work: () => Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
    }
  }

  get only(): CallInFlight | undefined {
    const [first] = this.#calls;
    return this.#calls.size === 1 ? first : undefined;
  }
}
