import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Stands between a store and its server, on a port of its own, and does what networks and poolers do. */
export class Gateway {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  #silent = false;

  static async open(target: number, { renumbers = false }: { readonly renumbers?: boolean } = {}): Promise<Gateway> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Gateway(server, target, renumbers);
  }

  private constructor(server: Server, target: number, renumbers: boolean) {
    const address = server.address();
    this.#server = server;
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
    server.on("connection", (client) => this.#join(client, connect(target, "127.0.0.1"), renumbers));
  }

  /** The same database, through here. */
  through(connectionString: string): string {
    const url = new URL(connectionString);
    url.port = String(this.#port);
    return url.href;
  }

  /** From now on answers of the server do not arrive. */
  fallSilent(): void {
    this.#silent = true;
  }

  /** Breaks all connections; new ones are fine. */
  cut(): void {
    this.#silent = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server.close(), "close");
    this.cut();
    await closed;
  }

  #join(client: Socket, server: Socket, renumbers: boolean): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (data) => server.write(data));
    const renumber = renumbers ? renumberer() : (data: Buffer) => data;
    server.on("data", (data) => {
      if (!this.#silent) client.write(renumber(data));
    });
  }
}

/** Gives a connection another number than the server did, as poolers do: in the message `K` of its start. */
function renumberer(): (data: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  let done = false;
  return (data) => {
    if (done) return data;
    rest = Buffer.concat([rest, data]);
    let end = 0;
    while (!done && rest.length >= end + 5 && rest.length >= end + 1 + rest.readInt32BE(end + 1)) {
      done = rest[end] === "K".charCodeAt(0);
      if (done) rest.writeInt32BE(rest.readInt32BE(end + 5) + 1, end + 5);
      end += 1 + rest.readInt32BE(end + 1);
    }
    const whole = done ? rest : rest.subarray(0, end);
    rest = rest.subarray(whole.length);
    return whole;
  };
}
