import { checkOptions } from "../../check-options.js";
import { isObject } from "../../is.js";
import type { ThriftConnection, ThriftConnectionOptions } from "./connection.js";
import { invalidThriftValue, notAConnection } from "./errors.js";
import { HttpConnection } from "./http-connection.js";
import { SocketConnection } from "./socket-connection.js";

/**
 * Connects to a Thrift server: `{ host, port }` or `{ path }` for sockets, `{ url }` for HTTP. Nothing is opened before the
 * first call. A socket has one call at a time and is destroyed when that call is aborted, so that a late answer reaches
 * nobody. Throws `INVALID_OPTION` if an option is wrong or unknown.
 *
 * @example
 * const connection = thriftConnection({ host: "127.0.0.1", port: 9090, transport: "framed" });
 * const tools = await thriftTools({ idlFile: "shop.thrift", connection });
 * await connection.close?.();
 */
export function thriftConnection(options: ThriftConnectionOptions): ThriftConnection {
  if (!isObject(options)) throw notAConnection(options);
  const { protocol = "binary", maxResponseBytes = 100_000_000 } = options;
  oneOf("protocol", ["binary", "compact", "json"], protocol);
  wholeNumber("maxResponseBytes", maxResponseBytes);
  const common = { protocol, maxResponseBytes };
  if ("url" in options) {
    checkOptions(where, options, ["url", "headers", "fetch", ...commonNames]);
    return new HttpConnection({ ...options, ...common });
  }
  const { port, path, transport = "buffered", maxConnections = 8, idleTimeoutMs = 30_000 } = options;
  checkOptions(where, options, socketNames);
  if ((port === undefined) === (path === undefined)) throw notAConnection(options);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
    throw invalidThriftValue(where, "port", "a number of 1 to 65535", port);
  oneOf("transport", ["buffered", "framed"], transport);
  wholeNumber("maxConnections", maxConnections);
  wholeNumber("idleTimeoutMs", idleTimeoutMs);
  return new SocketConnection({ ...options, ...common, transport, maxConnections, idleTimeoutMs });
}

/** A connection as it is, or one that is made from its options. */
export function connectionOf(given: unknown): ThriftConnection {
  if (typeof given === "object" && given !== null && "exchange" in given) return given as ThriftConnection;
  return thriftConnection(given as ThriftConnectionOptions);
}

const where = "thriftConnection";
const commonNames = ["protocol", "maxResponseBytes"];
const socketNames = [
  ...["host", "port", "path", "transport", "tls", "maxConnections", "idleTimeoutMs"],
  ...commonNames,
];

function oneOf(name: string, known: readonly string[], given: unknown): void {
  if (!known.includes(String(given)))
    throw invalidThriftValue(where, name, known.map((each) => JSON.stringify(each)).join(" or "), given);
}

function wholeNumber(name: string, given: unknown): void {
  if (!Number.isSafeInteger(given) || Number(given) < 1)
    throw invalidThriftValue(where, name, "a whole number of at least 1", given);
}
