import { createConnection, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { ThriftCall, ThriftConnection, ThriftProtocol, ThriftSocketOptions } from "./connection.js";
import { connectionClosed, thriftServerUnreachable } from "./errors.js";
import { exchangeOn } from "./socket-exchange.js";

interface Settings extends ThriftSocketOptions {
  readonly protocol: ThriftProtocol;
  readonly transport: "buffered" | "framed";
  readonly maxResponseBytes: number;
  readonly maxConnections: number;
  readonly idleTimeoutMs: number;
}

/**
 * Sockets to one server. Each has one call at a time: servers of Thrift answer in the order of the calls, so that a slow one
 * would hold up the others, and an aborted one would leave its answer to them.
 */
export class SocketConnection implements ThriftConnection {
  readonly protocol: ThriftProtocol;
  readonly address: string;
  readonly #settings: Settings;
  readonly #open = new Set<Socket>();
  readonly #idle: Socket[] = [];
  /** Calls that wait for a socket. */
  readonly #waiting: (() => void)[] = [];
  /** Sockets that are open or promised. */
  #count = 0;
  #isClosed = false;

  constructor(settings: Settings) {
    const { host = "localhost", port, path, protocol } = settings;
    this.protocol = protocol;
    this.address = path ?? `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    this.#settings = settings;
  }

  async exchange(message: Uint8Array, call: ThriftCall): Promise<Uint8Array> {
    const { signal } = call.ctx;
    signal.throwIfAborted();
    await this.#enter(call);
    let socket: Socket | undefined;
    try {
      socket = await this.#take(call);
      const settings = { ...this.#settings, address: this.address, isClosed: () => this.#isClosed };
      const answer = await exchangeOn(socket, message, call, settings);
      this.#keep(socket);
      return answer;
    } catch (error) {
      // what may still come on it belongs to nobody
      socket?.destroy();
      throw error;
    } finally {
      this.#leave();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const enter of this.#waiting.splice(0)) enter();
    const closed = [...this.#open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of this.#open) socket.destroy();
    await Promise.all(closed);
  }

  /** Waits until one more call may have a socket. */
  async #enter({ method, ctx: { signal } }: ThriftCall): Promise<void> {
    if (!this.#isClosed && this.#count >= this.#settings.maxConnections) {
      await new Promise<void>((resolve, reject) => {
        const enter = (): void => {
          signal.removeEventListener("abort", abort);
          resolve();
        };
        const abort = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(signal.reason);
        };
        signal.addEventListener("abort", abort, { once: true });
        this.#waiting.push(enter);
      });
    } else this.#count += 1;
    if (!this.#isClosed) return;
    throw connectionClosed(method, this.address);
  }

  /** A free place goes to the call that waits longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#count -= 1;
    else next();
  }

  async #take(call: ThriftCall): Promise<Socket> {
    call.ctx.signal.throwIfAborted();
    const idle = this.#idle.pop();
    if (idle === undefined) return this.#connect(call);
    idle.removeAllListeners("data").setTimeout(0).ref();
    return idle;
  }

  #keep(socket: Socket): void {
    if (this.#isClosed || socket.destroyed || socket.readableEnded) {
      socket.destroy();
      return;
    }
    this.#idle.push(socket);
    // an answer that nobody asked for
    socket.once("data", () => socket.destroy());
    socket.setTimeout(this.#settings.idleTimeoutMs).unref();
  }

  #connect({ method, ctx: { signal } }: ThriftCall): Promise<Socket> {
    const socket = this.#newSocket();
    this.#open.add(socket);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        socket.destroy();
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      socket.once(this.#settings.tls ? "secureConnect" : "connect", () => {
        signal.removeEventListener("abort", abort);
        socket.setNoDelay();
        resolve(socket);
      });
      // also of idle ones, whose errors nobody waits for: "close" follows
      socket.on("error", (error) => reject(thriftServerUnreachable(method, this.address, error)));
      socket.on("timeout", () => socket.destroy());
      socket.once("end", () => this.#forget(socket));
      socket.once("close", () => {
        signal.removeEventListener("abort", abort);
        this.#open.delete(socket);
        this.#forget(socket);
        const early = thriftServerUnreachable(
          method,
          this.address,
          new Error("the connection was closed before it was open"),
        );
        reject(this.#isClosed ? connectionClosed(method, this.address) : early);
      });
    });
  }

  #forget(socket: Socket): void {
    const index = this.#idle.indexOf(socket);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  #newSocket(): Socket {
    const { host = "localhost", port = 0, path, tls = false } = this.#settings;
    const target = path === undefined ? { host, port } : { path };
    if (tls === false) return createConnection(target);
    const servername = path === undefined && isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ ...target, ...servername, ...(tls === true ? {} : (tls as ConnectionOptions)) });
  }
}
