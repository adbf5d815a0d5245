import type { Socket } from "node:net";
import type { ThriftCall } from "./connection.js";
import { answerTooLarge, connectionClosed, connectionLost, thriftAnswerUnreadable } from "./errors.js";

interface Settings {
  readonly transport: "buffered" | "framed";
  readonly maxResponseBytes: number;
  readonly address: string;
  readonly isClosed: () => boolean;
}

/** Sends one message and waits for its answer; for a oneway call, until it is sent. */
export function exchangeOn(
  socket: Socket,
  message: Uint8Array,
  call: ThriftCall,
  settings: Settings,
): Promise<Uint8Array> {
  const { method, isOneway, ctx } = call;
  const { address, transport, maxResponseBytes } = settings;
  const { signal } = ctx;
  const answer = transport === "framed" ? new FramedAnswer(maxResponseBytes) : new BareAnswer(maxResponseBytes, call);
  return new Promise<Uint8Array>((resolve, reject) => {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      answer.stop();
      socket.off("data", onData).off("error", onError).off("close", onClose).off("end", onClose);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const onError = (error: Error): void => fail(connectionLost(method, address, answer.size, error));
    const onClose = (): void => {
      answer.hurry();
      check();
      if (isSettled) return;
      fail(settings.isClosed() ? connectionClosed(method, address) : connectionLost(method, address, answer.size));
    };
    const check = (): void => {
      try {
        const found = answer.find(check);
        if (found === undefined) return;
        settle();
        resolve(found);
      } catch (error) {
        fail(thriftAnswerUnreadable(method, address, error));
      }
    };
    const onData = (bytes: Buffer): void => {
      answer.add(bytes);
      check();
    };
    socket.on("data", onData).on("error", onError).on("close", onClose).on("end", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else if (socket.destroyed) onClose();
    else {
      socket.write(transport === "framed" ? framed(message) : message, (error) => {
        if (!isOneway || error) return;
        settle();
        resolve(new Uint8Array());
      });
    }
  });
}

function framed(message: Uint8Array): Uint8Array {
  const whole = Buffer.alloc(message.length + 4);
  whole.writeUInt32BE(message.length);
  whole.set(message, 4);
  return whole;
}

/** The bytes of an answer as they come. */
class Received {
  readonly #chunks: Uint8Array[] = [];
  size = 0;

  add(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.size += bytes.length;
  }

  /** All so far, in one piece. */
  join(): Buffer {
    const whole = Buffer.concat(this.#chunks);
    this.#chunks.splice(0, this.#chunks.length, whole);
    return whole;
  }
}

class FramedAnswer extends Received {
  readonly #limit: number;
  #length: number | undefined;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  find(): Uint8Array | undefined {
    if (this.size < 4) return undefined;
    this.#length ??= this.join().readUInt32BE();
    if (this.#length > this.#limit) throw answerTooLarge(this.#length, this.#limit);
    return this.size < this.#length + 4 ? undefined : this.join().subarray(4, this.#length + 4);
  }

  hurry(): void {}

  stop(): void {}
}

/**
 * Without frames, only reading an answer shows whether it is complete. A large one is not read again for every piece: only when it
 * has grown by a quarter, or when no more has come for as long as reading took.
 */
class BareAnswer extends Received {
  readonly #limit: number;
  readonly #isWhole: ThriftCall["isWhole"];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, { isWhole }: ThriftCall) {
    super();
    this.#limit = limit;
    this.#isWhole = isWhole;
  }

  find(again: () => void): Uint8Array | undefined {
    this.stop();
    if (this.size > this.#limit) throw answerTooLarge(this.size, this.#limit);
    if (this.size < this.#next) {
      this.#timer = setTimeout(() => {
        this.hurry();
        again();
      }, this.#next / 50_000);
      return undefined;
    }
    const whole = this.join();
    if (this.#isWhole(whole)) return whole;
    this.#next = this.size * 1.25;
    return undefined;
  }

  /** No more is known to come. */
  hurry(): void {
    this.#next = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
