import grpc from "@grpc/grpc-js";
import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  findCause,
  memoryStore,
  RequestContext,
  StreamReader,
  ToolCallError,
} from "kumiko";
import type { ClosableTools } from "kumiko/components";
import type { GrpcTool } from "kumiko/grpc";
import { toolContext } from "kumiko/testing";
import protobuf from "protobufjs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { interruptOf } from "../../checkpoint/interrupt-of.js";
import { blocksOf, call, calls, rejection, textsOf, toolError } from "../node/calls.js";
import { type GrpcUse, grpcToolsOf, type Kitchen, kitchen, startKitchen } from "./server.js";

let server: Kitchen;
const open: ClosableTools<GrpcTool>[] = [];
beforeAll(async () => {
  server = await startKitchen();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const tools of open.splice(0)) await tools.close();
});

async function toolsOf(options: GrpcUse = {}): Promise<ClosableTools<GrpcTool>> {
  const where = options.client === undefined ? { address: server.address } : {};
  const tools = await grpcToolsOf({ ...where, proto: { "kitchen.proto": kitchen }, ...options });
  open.push(tools);
  return tools;
}

const nodeOf = async (options: GrpcUse = {}) => new AgenticToolsNode(await toolsOf(options));
const count = (args: object) => calls(call("Kitchen_Count", args));
const numbers = (result: string | undefined): string[] =>
  JSON.parse(result ?? "").map(({ number }: { number: string }) => number);

describe("a method that answers with a stream", () => {
  it.each(["invoke", "stream", "collect", "transform"] as const)("gives a list of its messages: %s", async (mode) => {
    const node = await nodeOf({ omitDefaults: true });
    const message = count({ to: 3 });
    const run: Record<typeof mode, () => Promise<AgenticMessage[]>> = {
      invoke: () => node.invoke(message),
      stream: () => node.stream(message).concat(),
      collect: () => node.collect(StreamReader.from([message])),
      transform: () => node.transform(StreamReader.from([message])).concat(),
    };
    const [block] = blocksOf(await run[mode]());
    expect(block).toMatchObject({ result: '[{"number":"1"},{"number":"2"},{"number":"3"}]', resultType: "json" });
  });

  it("gives each message as a chunk", async () => {
    const node = await nodeOf({ omitDefaults: true });
    const chunks: string[] = [];
    for await (const messages of node.stream(count({ to: 2 }))) chunks.push(...textsOf(messages.flat()));
    expect(chunks.filter((text) => text !== "")).toEqual(['[{"number":"1"}', ',{"number":"2"}', "]"]);
  });

  it("gives chunks while the server goes on, and cancels it when the reader leaves", async () => {
    const node = await nodeOf();
    const seen: string[] = [];
    for await (const messages of node.stream(count({ to: 3, thenHang: true }))) {
      seen.push(...textsOf(messages.flat()));
      if (seen.join("").includes('"3"')) break;
    }
    expect(await server.event()).toBe("cancelled after 3");
  });

  it("is cancelled with its run, and what came before is not lost", async () => {
    const node = await nodeOf();
    const stop = new AbortController();
    const seen: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const messages of node.stream(count({ to: 4, thenHang: true }), { signal: stop.signal })) {
          seen.push(...textsOf(messages.flat()));
          if (seen.join("").includes('"4"')) stop.abort(new Error("enough"));
        }
      })(),
    );
    expect(String(error)).toContain("enough");
    expect(await server.event()).toBe("cancelled after 4");
  });

  it("of no messages gives an empty list", async () => {
    const node = await nodeOf();
    expect(textsOf(await node.invoke(count({ to: 0 })))).toEqual(["[]"]);
    expect(textsOf(await node.stream(count({ to: 0 })).concat())).toEqual(["[]"]);
  });

  it("is checked as a list where outputs are", async () => {
    const node = new AgenticToolsNode({ tools: await toolsOf(), outputValidation: "error" });
    for (const to of [0, 3]) {
      expect(numbers(textsOf(await node.invoke(count({ to })))[0])).toHaveLength(to);
      expect(numbers(textsOf(await node.stream(count({ to })).concat())[0])).toHaveLength(to);
    }
    expect(textsOf(await node.invoke(calls(call("Kitchen_Echo", { color: 9, aDouble: "NaN" }))))).toHaveLength(1);
  });

  it("that fails on its way loses no message, also for a slow reader", async () => {
    const [tool] = await toolsOf({ include: ["Count"] });
    const seen: unknown[] = [];
    const stream = tool?.execute({ to: 200, thenStatus: 13 }, toolContext()) as AsyncIterable<unknown>;
    const error = await rejection(
      (async () => {
        for await (const message of stream) {
          seen.push(message);
          if (seen.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })(),
    );
    expect(seen).toHaveLength(200);
    expect(error).toMatchObject({
      status: "INTERNAL",
      details: { statusMessage: "broken off", received: { length: 200 } },
    });
    expect(String(error)).toContain("INTERNAL after 200 messages: broken off");
  });

  it("says what it got when the server dies in the middle", async () => {
    const other = await startKitchen();
    const [tool] = await toolsOf({ address: other.address, include: ["Count"] });
    const stream = tool?.execute({ to: 3, thenHang: true }, toolContext()) as AsyncIterable<unknown>;
    const seen: unknown[] = [];
    const error = await rejection(
      (async () => {
        for await (const message of stream) {
          seen.push(message);
          if (seen.length === 3) other.stop();
        }
      })(),
    );
    expect(error).toBeInstanceOf(ToolCallError);
    expect(error).toMatchObject({ code: "TOOL_FAILED", details: { received: { length: 3 } } });
  });

  it("larger than the windows of HTTP/2 arrives whole", async () => {
    const node = await nodeOf({ omitDefaults: true });
    const [text] = textsOf(await node.invoke(count({ to: 40, size: 50_000 })));
    expect(numbers(text).at(-1)).toBe("40");
  });
});

describe("a call", () => {
  it("is cancelled with the signal of its run", async () => {
    const node = await nodeOf();
    const stop = new AbortController();
    const running = rejection(node.invoke(calls(call("Kitchen_Hang")), { signal: stop.signal }));
    expect(await server.event()).toBe("hanging");
    stop.abort(new Error("enough"));
    expect(String(await running)).toContain("enough");
    expect(await server.event()).toBe("cancelled");
  });

  it("has a deadline, which the server hears of, and ends as a time-out", async () => {
    const before = server.called.length;
    // a busy machine may take longer to connect
    for (let timeoutMs = 60; server.called.length === before; timeoutMs *= 4) {
      const node = await nodeOf({ timeoutMs });
      const error = await toolError(node.invoke(calls(call("Kitchen_Hang"))));
      expect(error.kind).toBe("timeout");
    }
    expect(await server.event()).toBe("hanging");
    expect(await server.event()).toBe("cancelled");
    const [text] = textsOf(await (await nodeOf({ timeoutMs: 60_000 })).invoke(calls(call("Kitchen_Metadata"))));
    const deadline = Number(JSON.parse(text ?? "").deadline);
    expect(deadline).toBeGreaterThan(0);
    expect(deadline).toBeLessThanOrEqual(60_050);
  });

  it("has no deadline without timeoutMs", async () => {
    const [text] = textsOf(await (await nodeOf()).invoke(calls(call("Kitchen_Metadata"))));
    expect(JSON.parse(text ?? "").deadline).toBe("");
  });

  it("carries metadata: a record, or what a function makes of the request context", async () => {
    const seen = async (options: GrpcUse) => {
      const requestContext = new RequestContext([["tenant", "acme"]]);
      const node = await nodeOf(options);
      const [text] = textsOf(await node.invoke(calls(call("Kitchen_Metadata")), { requestContext }));
      return JSON.parse(text ?? "").metadata;
    };
    expect(
      await seen({
        metadata: { "x-key": "k", "x-many": ["a", "b"], "x-bin": new Uint8Array([255, 0]), no: undefined },
      }),
    ).toMatchObject({ "x-key": "k", "x-many": "a, b", "x-bin": "ff00" });
    expect(
      await seen({
        metadata: async (ctx, { method }) => ({ tenant: String(ctx.requestContext.get("tenant")), method }),
      }),
    ).toMatchObject({ tenant: "acme", method: "Metadata" });
  });

  it("with metadata that cannot be sent is refused, and the error does not show it", async () => {
    for (const metadata of [
      { "x-key": "top\nsecret" },
      { "x key": "secret" },
      { "x-bin": "secret" },
      { "x-key": 5 as never },
    ]) {
      const { message } = await toolError((await nodeOf({ metadata })).invoke(calls(call("Kitchen_Metadata"))));
      expect(message).toMatch(/x[- ](key|bin)/);
      expect(message).not.toContain("secret");
    }
  });

  it("waits for its approval before anything is sent", async () => {
    const options: GrpcUse = {
      requireApproval: (_input, _ctx, { idempotency }) => idempotency === undefined,
    };
    const message = calls(call("Kitchen_Echo", { anInt32: 1 }), call("Kitchen_Text", { value: "x" }));
    const app = new Chain<typeof message>()
      .appendToolsNode(await nodeOf({ ...options, omitDefaults: true }))
      .compile({ store: memoryStore() });
    const { interrupts } = await interruptOf(app.invoke(message, { checkpointId: "run" }));
    expect(interrupts.map(({ info }) => (info as { toolName: string }).toolName)).toEqual(["Kitchen_Text"]);
    const [asked] = interrupts;
    expect(textsOf(await app.resume("run", { [asked.id]: { approved: true } }))).toEqual(['{"anInt32":1}', "x!"]);
  });

  it("after close is an error that says so", async () => {
    const tools = await toolsOf();
    await tools.close();
    await tools.close();
    const error = await toolError(new AgenticToolsNode(tools).invoke(calls(call("Kitchen_Metadata"))));
    expect(error.message).toContain("have been closed");
    const streamed = await toolError(new AgenticToolsNode(tools).invoke(count({ to: 1 })));
    expect(streamed.message).toContain("have been closed");
  });

  it("goes through a client of one's own, which stays open", async () => {
    const client = new grpc.Client(server.address, grpc.credentials.createInsecure());
    const tools = await toolsOf({ client });
    await tools.close();
    expect(textsOf(await new AgenticToolsNode(tools).invoke(calls(call("Kitchen_Text", { value: "a" }))))).toEqual([
      "a!",
    ]);
    client.close();
  });
});

describe("a status other than OK", () => {
  it("is an error of kind execution, with status and message", async () => {
    const error = await toolError(
      (await nodeOf()).invoke(calls(call("Kitchen_Fail", { code: 5, message: "no pet 7" }))),
    );
    expect(error.kind).toBe("execution");
    const cause = findCause(error, ToolCallError);
    expect(ToolCallError.is(cause)).toBe(true);
    expect(cause).toMatchObject({
      source: "grpc",
      status: "NOT_FOUND",
      details: { statusCode: 5, statusMessage: "no pet 7", statusDetails: [], received: [] },
    });
    expect(cause?.message).toBe("/test.v1.Kitchen/Fail failed with NOT_FOUND: no pet 7");
  });

  it("brings its details: known ones by their fields, others by their bytes", async () => {
    const details = statusOf([
      ["google.rpc.BadRequest", { field_violations: [{ field: "name", description: "is empty" }] }],
      ["google.rpc.RetryInfo", { retry_delay: { seconds: 2, nanos: 500_000_000 } }],
      ["google.rpc.ErrorInfo", { reason: "QUOTA", domain: "pets", metadata: { limit: "5" } }],
      ["test.v1.Number", { number: 7 }],
      ["no.Such", { number: 7 }],
    ]);
    const args = { code: 3, message: "bad", details: details.toString("base64") };
    const error = await toolError((await nodeOf()).invoke(calls(call("Kitchen_Fail", args))));
    expect(findCause(error, ToolCallError)?.details).toHaveProperty("statusDetails", [
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "name", description: "is empty" }],
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.500s" },
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "QUOTA",
        domain: "pets",
        metadata: { limit: "5" },
      },
      { "@type": "type.googleapis.com/test.v1.Number", number: "7" },
      { "@type": "type.googleapis.com/no.Such", value: "CAc=" },
    ]);
    expect(error.message).toContain("is empty");
  });

  it("that gRPC does not have is UNKNOWN, and broken details are none", async () => {
    const node = await nodeOf();
    const error = await toolError(
      node.invoke(calls(call("Kitchen_Fail", { code: 77, message: "?", details: "/////w==" }))),
    );
    expect(findCause(error, ToolCallError)).toMatchObject({ status: "UNKNOWN", details: { statusDetails: [] } });
  });

  it("says that nobody answers when the server is down", async () => {
    const other = await startKitchen();
    other.stop();
    const node = await nodeOf({ address: other.address });
    for (const message of [calls(call("Kitchen_Text", { value: "x" })), count({ to: 1 })]) {
      const error = await toolError(node.invoke(message));
      expect(error.kind).toBe("execution");
      expect(findCause(error, ToolCallError)?.status).toBe("UNAVAILABLE");
    }
  });

  it("never shows the metadata of the request", async () => {
    const node = await nodeOf({ metadata: { authorization: "Bearer hunter2" } });
    const error = await toolError(node.invoke(calls(call("Kitchen_Fail", { code: 16, message: "who?" }))));
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      expect(JSON.stringify(at, Object.getOwnPropertyNames(at))).not.toContain("hunter2");
    }
  });
});

/** The bytes of a `google.rpc.Status`, with details of messages whose fields have these numbers. */
function statusOf(details: readonly (readonly [string, object])[]): Buffer {
  const root = protobuf.parse(
    `syntax = "proto3"; package google.rpc;
    message Any { string type_url = 1; bytes value = 2; }
    message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
    message Violation { string field = 1; string description = 2; }
    message BadRequest { repeated Violation field_violations = 1; }
    message Duration { int64 seconds = 1; int32 nanos = 2; }
    message RetryInfo { Duration retry_delay = 1; }
    message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
    message Number { int64 number = 1; }`,
    { keepCase: true },
  ).root;
  const packed = details.map(([name, fields]) => {
    const last = name.slice(name.lastIndexOf(".") + 1);
    const type = root.lookupType(last === "Such" ? "google.rpc.Number" : `google.rpc.${last}`);
    return { type_url: `type.googleapis.com/${name}`, value: type.encode(fields).finish() };
  });
  const status = root.lookupType("google.rpc.Status");
  return Buffer.from(status.encode({ code: 3, message: "bad", details: packed }).finish());
}
