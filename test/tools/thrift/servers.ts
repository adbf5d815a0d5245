import { once } from "node:events";
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { ClosableTools } from "kumiko/components";
import { type ThriftSource, type ThriftTool, type ThriftToolsOptions, thriftTools } from "kumiko/thrift";
import { afterEach } from "vitest";

const require = createRequire(import.meta.url);

export const folder = import.meta.dirname;
export const idlFile = join(folder, "shop.thrift");

/** What the compiler of Thrift made of shop.thrift: es5 by version 0.17, es6 by version 0.25. */
export const generated = (flavour: "es5" | "es6"): object => require(`./generated/${flavour}/Shop.js`);
const types = (flavour: "es5" | "es6") => require(`./generated/${flavour}/shop_types.js`);

type Callback = (error: unknown, value?: unknown) => void;
type Handler = Record<string, (...values: never[]) => void>;
type Class = new (protocol: unknown) => unknown;

/** The parts of the official package that make servers, which its types do not know in full. */
interface ServerPackage {
  createServer(service: object, handler: Handler, options: object): Server;
  createMultiplexServer(processor: object, options: object): Server;
  readonly MultiplexedProcessor: new () => { registerProcessor(name: string, processor: unknown): void };
  readonly TBufferedTransport: Class;
  readonly TFramedTransport: Class;
  readonly TBinaryProtocol: Class;
  readonly TCompactProtocol: Class;
  readonly TJSONProtocol: Class;
}
export const thrift: ServerPackage = require("thrift");

export type Transport = "buffered" | "framed";
export type Protocol = "binary" | "compact" | "json";
export const transports = { buffered: thrift.TBufferedTransport, framed: thrift.TFramedTransport };
export const protocols = {
  binary: thrift.TBinaryProtocol,
  compact: thrift.TCompactProtocol,
  json: thrift.TJSONProtocol,
};

export interface Shop {
  readonly handler: Handler;
  /** The texts of oneway calls. */
  readonly noted: string[];
  /** Answers of `wait` that have not been given. */
  readonly waiting: { readonly text: string; readonly answer: (text: string) => void }[];
}

/** What the shop does: it gives back what it gets, or throws what the SKU says. */
export function shopHandler(flavour: "es5" | "es6" = "es6"): Shop {
  const { OutOfStock, Denied } = types(flavour);
  const noted: string[] = [];
  const waiting: Shop["waiting"] = [];
  const handler: Handler = {
    place: (order: { items?: { sku: string }[] | null; id: unknown }, limit: unknown, done: Callback) => {
      const sku = order.items?.[0]?.sku;
      if (sku === "none") done(new OutOfStock({ sku, left: order.id }));
      else if (sku === "denied") done(new Denied({ message: `not for ${String(limit)}` }));
      else if (sku === "broken") done(new Error("the till is broken"));
      else done(null, order);
    },
    count: (id: unknown, done: Callback) => done(null, id),
    weigh: (grams: number, done: Callback) => done(null, grams),
    say: (text: string, done: Callback) => done(null, text),
    copy: (bytes: unknown, done: Callback) => done(null, bytes),
    note: (text: string) => {
      noted.push(text);
    },
    clear: (done: Callback) => done(null),
    wait: (text: string, done: Callback) => {
      waiting.push({ text, answer: (answer) => done(null, answer) });
    },
    ping: (done: Callback) => done(null, "pong"),
  };
  return { handler, noted, waiting };
}

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

export function closeLater(close: () => void | Promise<void>): void {
  closing.push(close);
}

export interface Listening {
  readonly port: number;
  /** Open sockets. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many sockets were opened. */
  readonly opened: () => number;
  readonly close: () => void;
}

/** Listens on a free port until the test ends. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  let opened = 0;
  server.on("connection", (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  // of the package: what a destroyed socket said last
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  closing.push(close);
  return { port, sockets, opened: () => opened, close };
}

/** A real server of the official package, with the shop behind it. */
export async function startShop({
  transport = "buffered",
  protocol = "binary",
  flavour = "es6",
  tls,
}: {
  readonly transport?: Transport;
  readonly protocol?: Protocol;
  readonly flavour?: "es5" | "es6";
  readonly tls?: object;
} = {}) {
  const shop = shopHandler(flavour);
  const options = { transport: transports[transport], protocol: protocols[protocol], ...(tls && { tls }) };
  const listening = await listen(thrift.createServer(generated(flavour), shop.handler, options));
  return { ...shop, ...listening };
}

/** The same behind HTTP. */
export async function startHttpShop(protocol: Protocol = "binary") {
  const shop = shopHandler();
  const received: IncomingHttpHeaders[] = [];
  const Processor = Reflect.get(generated("es6"), "Processor");
  const processor = new Processor(shop.handler);
  const server = createHttpServer(async (request, response) => {
    received.push(request.headers);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (bytes: Buffer): void => void response.end(bytes);
    const { TFramedTransport, TBufferedTransport } = thrift as unknown as Record<
      string,
      new (
        bytes: unknown,
        done?: unknown,
      ) => unknown
    >;
    const input = new protocols[protocol](TFramedTransport && new TFramedTransport(Buffer.concat(chunks)));
    processor.process(input, new protocols[protocol](TBufferedTransport && new TBufferedTransport(undefined, answer)));
    // a oneway call has no answer
    if (shop.noted.length > 0) response.end();
  });
  const { port } = await listen(server);
  return { ...shop, received, url: `http://127.0.0.1:${port}/shop` };
}

/** A server that says what a test makes it say. */
export const startBare = (serve: (socket: Socket) => void) => listen(createServer(serve));

export type Tools = Readonly<Record<string, ThriftTool>>;

/** A source and options in one object. */
export type ThriftUse = ThriftSource & ThriftToolsOptions;

/** The tools of a source and options that are in one object. */
export function thriftToolsOf(use: ThriftUse): Promise<ClosableTools<ThriftTool>> {
  const { include, exclude, prefix, timeoutMs, requireApproval, ...source } = use;
  return thriftTools(source, { include, exclude, prefix, timeoutMs, requireApproval });
}

/** The tools of the shop, by name. */
export async function shopTools(use: ThriftUse): Promise<Tools> {
  const definition = use.service === undefined && use.idl === undefined ? { idlFile } : {};
  const tools = await thriftToolsOf({ ...definition, ...use });
  return Object.fromEntries(tools.map((tool) => [tool.id, tool]));
}
