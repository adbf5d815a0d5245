import type { ToolContext } from "../../components/tool.js";

/** How values are written: as servers of Thrift call it. */
export type ThriftProtocol = "binary" | "compact" | "json";

/** One call, as a connection sees it. */
export interface ThriftCall {
  /** The service and its method, for errors: `Shop.place`. */
  readonly method: string;
  /** Whether there is no answer: `exchange` then returns when the message was sent. */
  readonly isOneway: boolean;
  /** The call of the tool: its `signal` and `requestContext`. */
  readonly ctx: ToolContext;
  /** Whether these bytes are a whole answer: for streams of bytes that do not say how long a message is. */
  readonly isWhole: (bytes: Uint8Array) => boolean;
}

/**
 * Sends messages of Thrift to a server and brings back its answers. {@link thriftConnection} makes one for sockets and HTTP;
 * write one for anything else, such as a queue or a WebSocket.
 */
export interface ThriftConnection {
  /** How messages are encoded. */
  readonly protocol: ThriftProtocol;
  /** For errors: `127.0.0.1:9090`. */
  readonly address: string;
  /** The answer to a message, without any frame. Rejects when `call.ctx.signal` is aborted. */
  exchange(message: Uint8Array, call: ThriftCall): Promise<Uint8Array>;
  /** Ends what is open; calls that wait for an answer fail. */
  close?(): Promise<void>;
}

interface CommonOptions {
  /** As the server has it. @default "binary" */
  readonly protocol?: ThriftProtocol | undefined;
  /** Larger answers are errors. @default 100 MB */
  readonly maxResponseBytes?: number | undefined;
}

/** Options of TLS: those of `tls.connect` in `node:tls`. */
export interface ThriftTlsOptions {
  /** Certificates in PEM format that are trusted in place of the well-known ones. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** The certificate of this client, in PEM format. */
  readonly cert?: Pem | undefined;
  /** The private key of this client, in PEM format. */
  readonly key?: Pem | undefined;
  /** The passphrase of the private key. */
  readonly passphrase?: string | undefined;
  /** The name that the certificate of the server must have. @default the host */
  readonly servername?: string | undefined;
  /** Whether a certificate that cannot be verified is refused. @default true */
  readonly rejectUnauthorized?: boolean | undefined;
  readonly [option: string]: unknown;
}

/** @internal */
type Pem = string | Uint8Array;

/** A server behind a socket. Headers do not exist there: what it must know of a request is an argument. */
export interface ThriftSocketOptions extends CommonOptions {
  /** The name or address of the server. @default "localhost" */
  readonly host?: string | undefined;
  /** The port of the server. */
  readonly port?: number | undefined;
  /** Of a Unix socket, in place of host and port. */
  readonly path?: string | undefined;
  /** As the server has it: "framed" says before each message how long it is. @default "buffered" */
  readonly transport?: "buffered" | "framed" | undefined;
  /** Whether the connection is encrypted, and how. @default false */
  readonly tls?: boolean | ThriftTlsOptions | undefined;
  /** How many sockets may be open: each has one call at a time, and further calls wait. @default 8 */
  readonly maxConnections?: number | undefined;
  /** An idle socket is closed after this time. It does not keep a process from ending. @default 30,000 */
  readonly idleTimeoutMs?: number | undefined;
}

/** Undefined fields are not sent. */
export type ThriftHeaders = Headers | Readonly<Record<string, string | undefined>>;

/** A server behind HTTP. */
export interface ThriftHttpOptions extends CommonOptions {
  /** Such as `https://shop.example.com/thrift`. */
  readonly url: string | URL;
  /** Sent with each call. A function is called for each call, and can take them from `ctx.requestContext`. */
  readonly headers?: ThriftHeaders | ((ctx: ToolContext) => ThriftHeaders | Promise<ThriftHeaders>) | undefined;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** How to reach a Thrift server: by a socket, or by HTTP. */
export type ThriftConnectionOptions = ThriftSocketOptions | ThriftHttpOptions;
