import type { NodeContext } from "../../components/context.js";

/** A request that a server is working on. */
export interface CallInFlight {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly ctx: NodeContext | undefined;
}

/** The open requests of one server. If there is only one, a question that the server asks meanwhile belongs to it. */
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
