import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgenticToolsNode, findCause, RequestContext, ToolCallError } from "kumiko";
import { toolContext } from "kumiko/testing";
import { thriftConnection } from "kumiko/thrift";
import { describe, expect, it } from "vitest";
import { blocksOf, call, calls, textsOf, toolError } from "../node/calls.js";
import {
  closeLater,
  generated,
  listen,
  type Protocol,
  protocols,
  shopHandler,
  shopTools,
  startBare,
  startHttpShop,
  startShop,
  type Tools,
  type Transport,
  thrift,
  transports,
} from "./servers.js";

/** All kinds of values. What is not sent has a default. */
const order = {
  id: 9_007_199_254_740_993n,
  items: [
    {
      sku: "tea",
      count: 2,
      price: 1.5,
      photo: "AAECgP8=",
      parts: [{ sku: "leaf", count: -1, price: -0.1, photo: "" }],
    },
    { sku: "緑茶 \"'\\ \n\t é", count: 3, price: 1e300, photo: "/w==" },
  ],
  tags: [1, -9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
  notes: { "": "empty", constructor: "not one" },
  stock: { NL: [1, 2], US: [] },
  payment: { invoice: 7 },
  paid: true,
  tiny: -128,
  small: 32_767,
  deep: { a: { "1": ["x", "y"] }, b: {} },
  address: { street: "Kerkstraat", country: "JP" },
  flags: [true, false, true],
  grid: [[0, 1.25], [], [3]],
};

const json = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? `bigint:${item}` : item)).replaceAll(
    /"bigint:(-?\d+)"/g,
    "$1",
  );

/** Calls a tool as a model does, and gives what the model reads. */
async function ask(tools: Tools, name: string, args: unknown = {}): Promise<string> {
  const node = new AgenticToolsNode({ tools: Object.values(tools), onToolError: "throw" });
  const [text = ""] = textsOf(await node.invoke(calls(call(name, typeof args === "string" ? args : json(args)))));
  return text;
}

/** Servers of the package read all bools in lists of the compact protocol as false. */
const orderFor = (protocol: Protocol) => (protocol === "compact" ? { ...order, flags: [false] } : order);

describe.each<[Transport, Protocol]>([
  ["buffered", "binary"],
  ["buffered", "compact"],
  ["buffered", "json"],
  ["framed", "binary"],
  ["framed", "compact"],
  ["framed", "json"],
])("a server with the %s transport and the %s protocol", (transport, protocol) => {
  const start = async (flavour: "es5" | "es6" = "es6") => {
    const server = await startShop({ transport, protocol, flavour });
    const connection = { host: "127.0.0.1", port: server.port, transport, protocol } as const;
    return { ...server, connection };
  };

  it("gets all kinds of values and gives them back as they were", async () => {
    const { connection } = await start();
    const tools = await shopTools({ connection });
    const sent = orderFor(protocol);
    expect(await ask(tools, "place", { order: sent, limit: 1 })).toBe(json(sent));
  });

  it("does so by generated code alone, where enums are numbers", async () => {
    const { connection } = await start("es5");
    const sent = {
      ...orderFor(protocol),
      stock: { "1": [1, 2], "82": [] },
      address: { street: "Kerkstraat", country: 81 },
    };
    for (const flavour of ["es5", "es6"] as const) {
      const tools = await shopTools({ connection, service: generated(flavour) });
      expect(await ask(tools, "place", { order: sent, limit: 1 })).toBe(json(sent));
    }
  });

  it("gives texts, numbers, bytes and nothing", async () => {
    const { connection } = await start();
    const tools = await shopTools({ connection });
    expect(await ask(tools, "ping")).toBe("pong");
    expect(await ask(tools, "say", { text: "" })).toBe("");
    expect(await ask(tools, "say")).toBe("hello");
    expect(await ask(tools, "say", { text: "\u0000\u0001\u001f\u2028 😀" })).toBe("\u0000\u0001\u001f\u2028 😀");
    expect(await ask(tools, "count", '{"id": 9223372036854775807}')).toBe("9223372036854775807");
    expect(await ask(tools, "count", { id: 0 })).toBe("0");
    expect(await ask(tools, "weigh", { grams: 0.1 })).toBe("0.1");
    expect(await ask(tools, "copy", { bytes: "AP+A" })).toBe("AP+A");
    expect(await ask(tools, "clear")).toBe("");
  });

  it("says with exceptions what is wrong, and goes on", async () => {
    const { connection } = await start();
    const tools = await shopTools({ connection });
    const place = (sku: string) =>
      toolError(ask(tools, "place", { order: { id: 2n ** 60n, items: [{ sku }] }, limit: 3 }));
    const none = await place("none");
    expect(none.kind).toBe("execution");
    expect(findCause(none, ToolCallError)).toMatchObject({
      source: "thrift",
      status: undefined,
      details: { method: "Shop.place", exception: "OutOfStock", fields: { sku: "none", left: 2n ** 60n } },
    });
    expect(none.message).toContain('Shop.place threw OutOfStock: {"sku":"none","left":"1152921504606846976"}');
    const denied = findCause(await place("denied"), ToolCallError);
    expect(denied?.message).toBe("Shop.place threw Denied: not for 3");
    const broken = findCause(await place("broken"), ToolCallError);
    expect(broken).toMatchObject({ status: "UNKNOWN", details: { exception: "TApplicationException" } });
    expect(broken?.message).toContain("the till is broken");
    expect(await ask(tools, "ping")).toBe("pong");
  });

  it("gets oneway calls, after which the connection is free", async () => {
    const { connection, noted, opened } = await start();
    const tools = await shopTools({ connection });
    expect(await ask(tools, "note", { text: "first" })).toBe("");
    expect(await ask(tools, "ping")).toBe("pong");
    expect(noted).toEqual(["first"]);
    expect(opened()).toBe(1);
  });

  it("may send an answer in pieces, and a large one", async () => {
    const { connection } = await start();
    const tools = await shopTools({ connection });
    const text = "zauber 魔法 ".repeat(200_000);
    expect(await ask(tools, "say", { text })).toBe(text);
  });
});

describe("tools", () => {
  it("run in a tools node, several at a time", async () => {
    const { port, opened } = await startShop();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" } });
    const node = new AgenticToolsNode(Object.values(tools));
    const message = calls(...Array.from({ length: 20 }, (_, index) => call("count", { id: index }, `call-${index}`)));
    expect(textsOf(await node.invoke(message))).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
    expect(opened()).toBeLessThanOrEqual(8);
  });

  it("tell a model what went wrong, as results of kind execution", async () => {
    const { port } = await startShop();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" } });
    const node = new AgenticToolsNode({ tools: Object.values(tools), onToolError: "result" });
    const args = { order: { items: [{ sku: "denied" }] }, limit: 0 };
    const [result] = blocksOf(await node.invoke(calls(call("place", args))));
    expect(result).toMatchObject({ isError: true, errorKind: "execution" });
    expect(result?.result).toContain("Shop.place threw Denied: not for 0");
  });

  it("are named and described as the IDL says, and tell what they were made of", async () => {
    const connection = { port: 1 };
    const tools = await shopTools({ connection, prefix: "shop_", include: ["place", "ping", "note"] });
    expect(Object.keys(tools)).toEqual(["shop_place", "shop_note", "shop_ping"]);
    expect(tools.shop_place?.description).toBe("Places an order.\nTwice is twice.");
    expect(tools.shop_ping?.description).toBe("Says that it is there.");
    expect(tools.shop_place?.metadata).toEqual({
      service: "Shop",
      method: "place",
      oneway: false,
      exceptions: ["OutOfStock", "Denied"],
    });
    const quiet = await shopTools({ connection, include: ({ oneway }) => oneway });
    expect(Object.keys(quiet)).toEqual(["note"]);
  });

  it("have schemas with what is required, defaults, enums and descriptions", async () => {
    const { place, say } = await shopTools({ connection: { port: 1 } });
    expect(say?.inputSchema).toMatchObject({ properties: { text: { type: "string", default: "hello" } } });
    expect(place?.inputSchema).toMatchObject({
      required: ["order"],
      properties: { order: { $ref: "#/$defs/Order" }, limit: { type: "integer" } },
      additionalProperties: false,
      $defs: {
        Item: {
          description: "A thing that can be ordered.",
          required: ["sku"],
          properties: {
            sku: { type: "string", description: "What it is called in the shop." },
            count: { type: "integer", default: 3, minimum: -2_147_483_648, maximum: 2_147_483_647 },
            photo: { type: "string", contentEncoding: "base64" },
            parts: { type: "array", items: { $ref: "#/$defs/Item" } },
          },
        },
        Payment: { minProperties: 1, maxProperties: 1 },
        Address: { properties: { country: { enum: ["NL", "JP", "US"], default: "NL" } } },
      },
    });
  });

  it("refuse what does not fit before anything is sent", async () => {
    const { port, opened } = await startShop();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" } });
    const { place } = tools;
    const bad: [object, string][] = [
      [{ order: { items: [{ price: 1 }] } }, "sku"],
      [{ order: { tiny: 128 } }, "tiny"],
      [{ order: { payment: { card: "1", invoice: 2 } } }, "payment"],
      [{ order: { payment: {} } }, "payment"],
      [{ order: { address: { street: "a", country: "XX" } } }, "country"],
      [{ order: { unknown: 1 } }, "unknown"],
      [{ order: { items: [{ sku: "a", photo: "?" }] } }, "photo"],
      [{ order: { id: "9223372036854775808" } }, "id"],
      [{}, "order"],
    ];
    for (const [args, name] of bad) {
      expect((await toolError(ask(tools, "place", args))).message).toContain(name);
      const direct = Promise.resolve().then(() => place?.execute(args as Record<string, unknown>, toolContext()));
      await expect(direct).rejects.toMatchObject({ code: "TOOL_FAILED", message: expect.stringContaining(name) });
    }
    expect(opened()).toBe(0);
  });

  it("take bigints, maps, sets and bytes from code", async () => {
    const { port } = await startShop();
    const { place } = await shopTools({ connection: { port, host: "127.0.0.1" } });
    const given = {
      id: "12345678901234567",
      tags: new Set([1n]),
      notes: new Map([["2", "two"]]),
      items: [{ sku: "a", photo: new Uint8Array([1, 2]) }],
    };
    const result = await place?.execute({ order: given }, toolContext());
    expect(result).toMatchObject({
      id: 12_345_678_901_234_567n,
      tags: [1],
      notes: { "2": "two" },
      items: [{ sku: "a", photo: "AQI=", count: 3 }],
    });
  });

  it("give numbers that JSON does not have as texts", async () => {
    const { port } = await startShop();
    const { weigh } = await shopTools({ connection: { port, host: "127.0.0.1" } });
    for (const grams of ["NaN", "Infinity", "-Infinity"])
      expect(await weigh?.execute({ grams }, toolContext())).toBe(grams);
  });
});

describe("a connection", () => {
  it("is refused when nobody listens", async () => {
    const { port, close } = await startShop();
    close();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" } });
    const error = await toolError(ask(tools, "ping"));
    expect(error.kind).toBe("execution");
    expect(error.message).toContain(`Shop.ping was not answered by 127.0.0.1:${port}: connect ECONNREFUSED`);
  });

  it("that ends in a call fails that call, and the next one opens another", async () => {
    const { port, sockets, waiting, opened } = await startShop();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" } });
    const failed = toolError(ask(tools, "wait", { text: "a" }));
    await expect.poll(() => waiting.length).toBe(1);
    for (const socket of sockets) socket.destroy();
    expect((await failed).message).toContain(
      "before any of the answer came. It is not known whether the call was executed",
    );
    expect(await ask(tools, "ping")).toBe("pong");
    expect(opened()).toBe(2);
  });

  it("that the server closes while it is idle is not used again", async () => {
    const { port, sockets, opened } = await startShop();
    const connection = thriftConnection({ port, host: "127.0.0.1" });
    const tools = await shopTools({ connection });
    expect(await ask(tools, "ping")).toBe("pong");
    for (const socket of sockets) socket.end();
    await expect.poll(() => sockets.size).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await ask(tools, "ping")).toBe("pong");
    expect(opened()).toBe(2);
  });

  it.each<Transport>(["buffered", "framed"])("never gives a late answer to another call (%s)", async (transport) => {
    const { port, waiting, opened } = await startShop({ transport });
    const tools = await shopTools({ connection: { port, host: "127.0.0.1", transport, maxConnections: 1 } });
    const controller = new AbortController();
    const aborted = tools.wait?.invoke('{"text":"a"}', toolContext({ signal: controller.signal }));
    await expect.poll(() => waiting.length).toBe(1);
    controller.abort(new Error("no longer wanted"));
    await expect(aborted).rejects.toThrow("no longer wanted");
    const next = ask(tools, "wait", { text: "b" });
    await expect.poll(() => waiting.length).toBe(2);
    waiting[0]?.answer("the answer to a");
    waiting[1]?.answer("the answer to b");
    expect(await next).toBe("the answer to b");
    expect(opened()).toBe(2);
  });

  it("makes further calls wait, which can be aborted while they do", async () => {
    const { port, waiting, opened } = await startShop();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1", maxConnections: 1 } });
    const first = ask(tools, "wait", { text: "a" });
    await expect.poll(() => waiting.length).toBe(1);
    const controller = new AbortController();
    const second = tools.ping?.invoke("{}", toolContext({ signal: controller.signal }));
    const third = ask(tools, "say", { text: "third" });
    controller.abort(new Error("too slow"));
    await expect(second).rejects.toThrow("too slow");
    waiting[0]?.answer("done");
    expect(await first).toBe("done");
    expect(await third).toBe("third");
    expect(opened()).toBe(1);
  });

  it("ends a call after timeoutMs, as an error of kind timeout", async () => {
    const { port } = await startShop();
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" }, timeoutMs: 50 });
    const error = await toolError(ask(tools, "wait", { text: "a" }));
    expect(error.kind).toBe("timeout");
  });

  it("is closed with its calls", async () => {
    const { port, waiting, sockets } = await startShop();
    const connection = thriftConnection({ port, host: "127.0.0.1", maxConnections: 1 });
    const tools = await shopTools({ connection });
    const failed = [toolError(ask(tools, "wait", { text: "a" })), toolError(ask(tools, "ping"))];
    await expect.poll(() => waiting.length).toBe(1);
    await connection.close?.();
    for (const error of await Promise.all(failed)) expect(error.message).toContain("was closed here with close()");
    expect((await toolError(ask(tools, "ping"))).message).toContain("was closed here with close()");
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("serves several services of one server", async () => {
    const shop = shopHandler();
    const other = shopHandler();
    other.handler.ping = (done: (error: null, text: string) => void) => done(null, "other");
    const processor = new thrift.MultiplexedProcessor();
    const Processor = Reflect.get(generated("es6"), "Processor");
    processor.registerProcessor("Shop", new Processor(shop.handler));
    processor.registerProcessor("second", new Processor(other.handler));
    const options = { transport: transports.framed, protocol: protocols.compact };
    const { port } = await listen(thrift.createMultiplexServer(processor, options));
    const connection = thriftConnection({ port, host: "127.0.0.1", transport: "framed", protocol: "compact" });
    expect(await ask(await shopTools({ connection, multiplexed: true }), "ping")).toBe("pong");
    expect(await ask(await shopTools({ connection, multiplexed: "second" }), "ping")).toBe("other");
  });

  it.skipIf(!hasOpenssl())("speaks TLS, and refuses certificates that it does not trust", async () => {
    const { key, cert } = makeCertificate();
    const { port } = await startShop({ tls: { key, cert } });
    const trusting = await shopTools({ connection: { port, host: "localhost", tls: { ca: cert } } });
    expect(await ask(trusting, "ping")).toBe("pong");
    const careful = await shopTools({ connection: { port, host: "localhost", tls: true } });
    expect((await toolError(ask(careful, "ping"))).message).toMatch(/self-signed certificate/);
  });

  it.skipIf(process.platform === "win32")("uses a Unix socket", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kumiko-thrift-"));
    closeLater(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "shop.sock");
    const server = thrift.createServer(generated("es6"), shopHandler().handler, {});
    await new Promise<void>((resolve) => server.listen(path, resolve));
    closeLater(() => void server.close());
    const connection = thriftConnection({ path });
    expect(await ask(await shopTools({ connection }), "ping")).toBe("pong");
    await connection.close?.();
  });

  it("can be one's own", async () => {
    const asked: string[] = [];
    const { port } = await startShop();
    const inner = thriftConnection({ port, host: "127.0.0.1" });
    const tools = await shopTools({
      connection: {
        protocol: "binary",
        address: "elsewhere",
        exchange: (message, call) => {
          asked.push(`${call.method} ${message.length > 0}`);
          return inner.exchange(message, call);
        },
      },
    });
    expect(await ask(tools, "ping")).toBe("pong");
    expect(asked).toEqual(["Shop.ping true"]);
  });
});

describe("an answer that is none", () => {
  const answering = async (bytes: Buffer | string, transport: Transport = "buffered") => {
    const { port } = await startBare((socket) => {
      socket.on("data", () => socket.write(bytes));
    });
    const connection = { port, host: "127.0.0.1", transport };
    return (await toolError(ask(await shopTools({ connection }), "ping"))).message;
  };

  it("is an error that says what to look at", async () => {
    expect(await answering("HTTP/1.1 400 Bad Request\r\n\r\n", "framed")).toContain("another transport or protocol");
    expect(await answering(Buffer.from("80020002", "hex"))).toContain("cannot be read: Bad version");
    // a reply to another method
    const other = Buffer.from("80010002 00000003 73 61 79 00000001 00".replaceAll(" ", ""), "hex");
    expect(await answering(other)).toContain('it is that of "say", not of "ping"');
    const otherCall = Buffer.from("80010002 00000004 70696e67 00000063 00".replaceAll(" ", ""), "hex");
    expect(await answering(otherCall)).toContain("it is that of the call 99, not of the call 1");
  });

  it("may be one without a result", async () => {
    const empty = Buffer.from("80010002 00000004 70696e67 00000001 00".replaceAll(" ", ""), "hex");
    expect(await answering(empty)).toContain("TApplicationException (MISSING_RESULT)");
  });

  it("ends in the middle", async () => {
    const { port } = await startBare((socket) => {
      socket.once("data", () => socket.end(Buffer.from("80010002000000047069", "hex")));
    });
    const tools = await shopTools({ connection: { port, host: "127.0.0.1" } });
    expect((await toolError(ask(tools, "ping"))).message).toContain("after 10 bytes of the answer");
  });

  it("comes byte by byte", async () => {
    const { port } = await startBare((socket) => {
      socket.setNoDelay();
      socket.once("data", async () => {
        const answer = Buffer.from(
          "80010002 00000004 70696e67 00000001 0b0000 00000002 6869 00".replaceAll(" ", ""),
          "hex",
        );
        for (const byte of answer) {
          socket.write(Buffer.from([byte]));
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
    });
    expect(await ask(await shopTools({ connection: { port, host: "127.0.0.1" } }), "ping")).toBe("hi");
  });

  it("is larger than it may be", async () => {
    for (const transport of ["buffered", "framed"] as const) {
      const { port } = await startShop({ transport });
      const connection = { port, host: "127.0.0.1", transport, maxResponseBytes: 1_000 };
      const tools = await shopTools({ connection });
      const error = await toolError(ask(tools, "say", { text: "x".repeat(2_000) }));
      expect(error.message).toContain("maxResponseBytes is 1000");
    }
  });
});

describe("HTTP", () => {
  it.each<Protocol>(["binary", "compact", "json"])("carries the %s protocol", async (protocol) => {
    const { url } = await startHttpShop(protocol);
    const tools = await shopTools({ connection: { url, protocol } });
    const sent = orderFor(protocol);
    expect(await ask(tools, "place", { order: sent })).toBe(json(sent));
  });

  it("takes headers from the request context, for each call", async () => {
    const { url, received } = await startHttpShop();
    const headers = ({ requestContext }: { requestContext: RequestContext }) => ({
      authorization: `Bearer ${String(requestContext.get("token"))}`,
      "x-absent": undefined,
    });
    const { ping, note } = await shopTools({ connection: { url, headers } });
    const call = (token: string) => toolContext<object>({ requestContext: new RequestContext({ token }) });
    await ping?.invoke("{}", call("one"));
    expect(await note?.invoke('{"text":"a"}', call("two"))).toBe("");
    expect(received.map(({ authorization }) => authorization)).toEqual(["Bearer one", "Bearer two"]);
    expect(received[0]).toMatchObject({ "content-type": "application/x-thrift" });
    expect(received[0]).not.toHaveProperty("x-absent");
  });

  it("says the status of a refusal, and follows no redirect", async () => {
    const answer = (status: number, headers: object = {}) => ({
      url: "http://shop.example/thrift",
      fetch: async () => new Response("no", { status, headers: { ...headers } }),
    });
    const refused = await toolError(ask(await shopTools({ connection: answer(403) }), "ping"));
    expect(findCause(refused, ToolCallError)).toMatchObject({
      status: 403,
      details: { method: "Shop.ping", body: "no" },
    });
    const elsewhere = answer(302, { location: "http://other.example" });
    const redirected = await toolError(ask(await shopTools({ connection: elsewhere }), "ping"));
    expect(redirected.message).toContain("redirect (302)");
  });

  it("is aborted with the call, and fails when nobody listens", async () => {
    const { url, waiting } = await startHttpShop();
    const { wait } = await shopTools({ connection: { url } });
    const controller = new AbortController();
    const aborted = wait?.invoke('{"text":"a"}', toolContext({ signal: controller.signal }));
    await expect.poll(() => waiting.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    const { port, close } = await startShop();
    close();
    const tools = await shopTools({ connection: { url: `http://127.0.0.1:${port}/?key=secret` } });
    const { message } = await toolError(ask(tools, "ping"));
    expect(message).toMatch(/was not answered by http:\/\/127.0.0.1:\d+\/: .*ECONNREFUSED/);
    expect(message).not.toContain("secret");
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function makeCertificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-thrift-"));
  closeLater(() => rmSync(folder, { recursive: true }));
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject], {
    stdio: "ignore",
  });
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return { key: read("key.pem"), cert: read("cert.pem") };
}
