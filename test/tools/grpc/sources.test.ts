import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import type { ClosableTools } from "kumiko/components";
import { type GrpcTool, grpcTools } from "kumiko/grpc";
import { toolContext } from "kumiko/testing";
import protobuf from "protobufjs";
import descriptors from "protobufjs/ext/descriptor.js";
import { afterEach, describe, expect, it } from "vitest";
import { isLocal } from "../../../src/tools/grpc/connect.js";
import { rejection } from "../node/calls.js";
import { folderWith, type GrpcUse, grpcToolsOf, kitchen, startKitchen } from "./server.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(options: GrpcUse): Promise<ClosableTools<GrpcTool>> {
  const tools = await grpcToolsOf({ ...(options.client ? {} : { address: "127.0.0.1:1" }), ...options });
  closing.push(() => tools.close());
  return tools;
}

async function server(options: Parameters<typeof startKitchen>[0] = {}) {
  const started = await startKitchen(options);
  closing.push(started.stop);
  return started;
}

function files(texts: Readonly<Record<string, string>>): string {
  const { folder, remove } = folderWith(texts);
  closing.push(remove);
  return folder;
}

const refusal = (options: GrpcUse) => rejection(open(options));
const pets = `syntax = "proto3"; package acme.v1; import "pet.proto"; import "google/api/annotations.proto";
  // All about pets.
  service Pets {
    // Finds one.
    rpc Get(Id) returns (Pet) { option (google.api.http) = { get: "/pets" }; option idempotency_level = IDEMPOTENT; }
    rpc Feed(stream Pet) returns (Id);
  }`;
const pet = `syntax = "proto3"; package acme.v1;
  message Id { int64 id = 1; }
  message Pet { string name = 1; Pet parent = 2; }`;

describe("proto files", () => {
  it("are read with what they import, from their folder or from others", async () => {
    const folder = files({ "pets.proto": pets, "pet.proto": pet });
    for (const options of [
      { proto: join(folder, "pets.proto") },
      { proto: [join(folder, "pets.proto"), join(folder, "pet.proto")] },
      { proto: "pets.proto", includeDirs: [folder] },
      { proto: { "pets.proto": pets, "pet.proto": pet } },
    ] satisfies GrpcUse[]) {
      const [tool, ...others] = await open(options);
      expect(others).toEqual([]);
      expect(tool).toMatchObject({ id: "Pets_Get", description: "Finds one." });
      expect(tool?.mcp?.annotations).toEqual({ readOnlyHint: false, idempotentHint: true });
      expect(tool?.metadata).toEqual({
        service: "acme.v1.Pets",
        method: "Get",
        path: "/acme.v1.Pets/Get",
        isStreaming: false,
        deprecated: false,
        idempotency: "idempotent",
      });
      expect(tool?.info.toJsonSchema()).toEqual({
        type: "object",
        properties: { id: { type: "string", format: "int64", pattern: "^-?[0-9]+$" } },
        additionalProperties: false,
      });
      expect(tool?.outputSchema).toMatchObject({
        properties: { parent: { $ref: "#/$defs/acme.v1.Pet" } },
        required: ["name"],
        $defs: { "acme.v1.Pet": { properties: { name: { type: "string" } } } },
      });
    }
  });

  it.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    [
      "is broken",
      { "a.proto": 'syntax = "proto3";\nmessage X { int32 a 1; }' },
      "SCHEMA_INVALID",
      /"a\.proto".*line 2/,
    ],
    ["names an unknown type", { "a.proto": 'syntax = "proto3"; message X { Foo a = 1; }' }, "SCHEMA_INVALID", /Foo/],
    [
      "lacks an import",
      { "a.proto": 'syntax = "proto3"; import "b.proto";' },
      "LOAD_FAILED",
      /"a\.proto" imports "b\.proto"/,
    ],
    ["has no service", { "a.proto": 'syntax = "proto3"; message X {}' }, "SCHEMA_INVALID", /no service in "a\.proto"/],
  ])("are refused when one %s", async (_what, proto, code, text) => {
    for (const options of [{ proto }, { proto: join(files(proto), "a.proto") }]) {
      const error = await refusal(options);
      expect(error).toMatchObject({ code });
      if (typeof options.proto !== "string") expect(String(error)).toMatch(text);
    }
  });

  it("that are not there are named", async () => {
    expect(await refusal({ proto: "no/such.proto" })).toMatchObject({ code: "LOAD_FAILED" });
    expect(String(await refusal({ proto: "no/such.proto" }))).toContain('"no/such.proto"');
  });

  it("of proto2 have required fields, defaults and groups", async () => {
    const proto = `syntax = "proto2"; service S { rpc Do(M) returns (M); }
      message M { required int32 a = 1; optional int64 b = 2 [default = 7]; optional group Inner = 3 { optional string c = 4; } }`;
    const [tool] = await open({ proto: { "s.proto": proto } });
    expect(tool?.inputSchema).toMatchObject({ required: ["a"], properties: { b: { default: "7" } } });
    const error = await rejection(tool?.invoke("{}", toolContext()) ?? Promise.resolve());
    expect(error).toMatchObject({ kind: "validation", issues: [{ message: "required, but missing", path: ["a"] }] });
  });
});

describe("descriptor sets", () => {
  /** What `protoc` writes, with comments. */
  function bytesOf(): Uint8Array {
    const { root } = protobuf.parse(
      pet.replace("package acme.v1;", "package acme.v1; service Pets { rpc Get(Id) returns (Pet); }"),
      { keepCase: true },
    );
    root.resolveAll();
    const set = root.toDescriptor("proto3");
    const [file] = set.file ?? [];
    const location = [
      { path: [6, 0, 2, 0], leadingComments: " Finds one.\n" },
      { path: [4, 0, 2, 0], trailingComments: " Its number.\n" },
    ];
    Reflect.set(file as object, "sourceCodeInfo", { location });
    return descriptors.FileDescriptorSet.encode(set).finish();
  }

  it("give the same tools, with the comments that are in them", async () => {
    const [tool] = await open({ proto: bytesOf() });
    expect(tool).toMatchObject({ id: "Pets_Get", description: "Finds one." });
    expect(tool?.inputSchema).toMatchObject({ properties: { id: { description: "Its number." } } });
  });

  it("are refused when they are none", async () => {
    const error = await refusal({ proto: new Uint8Array([255, 255, 1]) });
    expect(error).toMatchObject({ code: "SCHEMA_INVALID" });
    expect(String(error)).toContain("--include_imports");
  });
});

describe("reflection", () => {
  it("asks the server, and gives the same tools as its files", async () => {
    const { address } = await server({ reflection: true });
    const tools = await open({ address, reflection: true });
    const ofFiles = await open({ address, proto: { k: kitchen } });
    expect(tools.map(({ id }) => id)).toEqual(ofFiles.map(({ id }) => id));
    const properties = ({ inputSchema }: ClosableTools<GrpcTool>[number]) => Object.keys(inputSchema.properties ?? {});
    // what this server is made with tells no JSON names
    const renamed = ofFiles.map((tool) => properties(tool).map((name) => (name === "other-name" ? "named" : name)));
    expect(tools.map(properties)).toEqual(renamed);
    const all = {
      anInt64: "-5",
      maybe: 0,
      time: "2026-01-31T08:30:00Z",
      value: [1],
      phones: { a: { number: "1" } },
      byId: { "7": "x" },
    };
    const echo = tools.find(({ id }) => id === "Kitchen_Echo");
    expect(await echo?.execute(all, toolContext())).toMatchObject(all);
    expect(echo?.mcp?.annotations).toMatchObject({ readOnlyHint: true });
  });

  it("that the server does not offer is said", async () => {
    const { address } = await server();
    const error = await refusal({ address, reflection: true });
    expect(error).toMatchObject({ code: "LOAD_FAILED" });
    expect(String(error)).toContain(`${address} offers no reflection`);
  });

  it("of a server that is down, or that has no such service, is an error", async () => {
    const other = await server({ reflection: true });
    expect(String(await refusal({ address: other.address, reflection: true, services: ["Nope"] }))).toContain(
      '"Nope", which is not a service. Services: "test.v1.Kitchen"',
    );
    other.stop();
    const error = await refusal({ address: other.address, reflection: { timeoutMs: 5_000 } });
    expect(String(error)).toMatch(/cannot ask the server at 127\.0\.0\.1:\d+ for its services/);
  });
});

describe("TLS", () => {
  const { folder, remove } = folderWith({});
  const path = (name: string) => join(folder, name);
  closing.push(() => {});
  const command =
    "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost";
  execFileSync("openssl", [...command.split(" "), "-keyout", path("key.pem"), "-out", path("cert.pem")], {
    stdio: "ignore",
  });
  const key = readFileSync(path("key.pem"));
  const cert = readFileSync(path("cert.pem"));
  remove();

  it("is spoken with the certificates that are given, and not without", async () => {
    const credentials = grpc.ServerCredentials.createSsl(null, [{ private_key: key, cert_chain: cert }]);
    const { address } = await server({ credentials });
    const call = async (given: GrpcUse["credentials"]) => {
      const [tool] = await open({ address, credentials: given, proto: { k: kitchen }, include: ["Text"] });
      return tool?.invoke('{"value":"x"}', toolContext());
    };
    expect(await call({ rootCertificates: cert })).toBe("x!");
    expect(await call({ rootCertificates: String(cert) })).toBe("x!");
    expect(await call(grpc.credentials.createSsl(cert))).toBe("x!");
    for (const given of ["tls", "insecure"] as const) {
      expect(await rejection(call(given))).toMatchObject({ status: "UNAVAILABLE" });
    }
    const broken = await rejection(call({ rootCertificates: "secret" }));
    expect(broken).toMatchObject({ status: "UNAVAILABLE" });
    expect(String(broken)).not.toContain("secret");
  });

  it("is the default for all but this machine", () => {
    const local = [
      "localhost:1",
      "127.0.0.1:5",
      "[::1]:5",
      "unix:/run/x.sock",
      "dns:///localhost:1",
      "ipv4:127.0.0.1:1",
    ];
    expect(local.map(isLocal)).toEqual(local.map(() => true));
    const far = [
      "pets.example.com:443",
      "localhost.example.com",
      "10.0.0.1:1",
      "127.0.0.1.example.com:1",
      "dns://127.0.0.1/a.example",
    ];
    expect(far.map(isLocal)).toEqual(far.map(() => false));
  });
});

describe("options", () => {
  const proto = { k: kitchen };

  it.each<[string, GrpcUse, RegExp]>([
    ["an unknown one", { proto, adress: "x" } as object, /Unknown option "adress".*address/],
    ["a wrong one", { proto, prefix: 5 as never }, /prefix of grpcTools must be a string/],
    ["no description", {}, /proto, .* or reflection/],
    ["two descriptions", { proto, reflection: true }, /not by both/],
    ["a client and an address", { proto, client: {} as never }, /client of .* must be a client/],
    [
      "an unknown service",
      { proto, services: ["Oven"] },
      /"Oven", which is not a service. Services: "test\.v1\.Kitchen"/,
    ],
    [
      "an unknown method",
      { proto, include: ["Bake"] },
      /"Bake", which is not a method. Methods: "test\.v1\.Kitchen\.Echo"/,
    ],
    ["a method that takes a stream", { proto, include: ["Kitchen/Chat"] }, /Kitchen\/Chat takes a stream/],
    ["a wrong time limit", { proto, timeoutMs: -1 }, /timeoutMs/],
    ["an approval of no tool", { proto, requireApproval: { Bake: true } }, /"Bake", which is not a tool/],
    ["wrong credentials", { proto, credentials: { rootCertificate: "secret" } as never }, /credentials must be/],
    ["an unknown option of reflection", { reflection: { timeout: 5 } as object }, /"timeout" of reflection/],
    ["include folders without paths", { proto, includeDirs: ["x"] }, /includeDirs only counts/],
  ])("are refused: %s", async (_what, options, text) => {
    const error = await refusal(options);
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(String(error)).toMatch(text);
    expect(String(error)).not.toContain("secret");
  });

  it("say where the server is", async () => {
    expect(String(await rejection(grpcTools({ proto })))).toContain("say where the server is");
    expect(String(await rejection(grpcTools(undefined as never)))).toContain("must be an object");
    const client = new grpc.Client("127.0.0.1:1", grpc.credentials.createInsecure());
    closing.push(() => client.close());
    expect(String(await rejection(grpcTools({ address: "x:1", client, proto })))).toContain("leave address out");
  });

  it("choose methods, and what stands before their names", async () => {
    const ids = async (options: GrpcUse) => (await open({ proto, ...options })).map(({ id }) => id);
    const all = ["Echo", "Count", "Fail", "Hang", "Metadata", "Text"].map((name) => `Kitchen_${name}`);
    expect(await ids({})).toEqual(all);
    expect(await ids({ include: ["Text", "/test.v1.Kitchen/Echo"], prefix: "k_" })).toEqual([
      "k_Kitchen_Echo",
      "k_Kitchen_Text",
    ]);
    expect(await ids({ include: ({ deprecated, isStreaming }) => !deprecated && !isStreaming })).toEqual(
      all.filter((id) => !/Count|Fail/.test(id)),
    );
  });

  it("tell services of one name apart by their packages", async () => {
    const service = (name: string) =>
      `syntax = "proto3"; package ${name}; message M {} service Pets { rpc Get(M) returns (M); }`;
    const tools = await open({ proto: { "1": service("acme.v1"), "2": service("acme.v2") } });
    expect(tools.map(({ id }) => id)).toEqual(["acme_v1_Pets_Get", "acme_v2_Pets_Get"]);
    const error = await refusal({ proto: { "1": service("a.b"), "2": service("a_b") } });
    expect(error).toMatchObject({ code: "DUPLICATE_TOOL" });
    expect(String(error)).toContain("/a.b.Pets/Get and /a_b.Pets/Get");
  });
});

it("describes fields, enums and what excludes what", async () => {
  const [tool] = await open({ proto: { k: kitchen }, include: ["Echo"] });
  expect(tool?.inputSchema).toMatchObject({
    type: "object",
    description: "All that a message can hold.",
    properties: {
      anInt32: { type: "integer", minimum: -2147483648, maximum: 2147483647 },
      color: { enum: ["COLOR_UNSPECIFIED", "RED", "BLUE"], description: "Which one.\nRED: Like blood." },
      email: { description: 'Excludes "phone".' },
      phones: { type: "object", additionalProperties: { $ref: "#/$defs/test.v1.All.Phone" } },
      inner: { $ref: "#/$defs/test.v1.All" },
      time: { type: "string", format: "date-time" },
      someBytes: { contentEncoding: "base64" },
      "other-name": { deprecated: true },
      any: { required: ["@type"] },
    },
    additionalProperties: false,
  });
});
