import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import type { ClosableTools } from "kumiko/components";
import { type GrpcSource, type GrpcTool, type GrpcToolsOptions, grpcTools } from "kumiko/grpc";

/** What every test of calls uses: all scalars, and methods that answer in all ways. */
export const kitchen = `syntax = "proto3";
package test.v1;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";

// Cooks.
service Kitchen {
  // Gives back what it gets.
  rpc Echo(All) returns (All) { option idempotency_level = NO_SIDE_EFFECTS; }
  // Counts up.
  rpc Count(CountRequest) returns (stream Number);
  rpc Fail(FailRequest) returns (Number) { option deprecated = true; }
  rpc Hang(CountRequest) returns (Number);
  rpc Metadata(google.protobuf.Empty) returns (Seen);
  rpc Text(google.protobuf.StringValue) returns (google.protobuf.Value);
  rpc Upload(stream Number) returns (Number);
  rpc Chat(stream Number) returns (stream Number);
}

enum Color {
  COLOR_UNSPECIFIED = 0;
  // Like blood.
  RED = 1;
  BLUE = -1;
}

// All that a message can hold.
message All {
  double a_double = 1;
  float a_float = 2;
  int32 an_int32 = 3;
  int64 an_int64 = 4;
  uint32 a_uint32 = 5;
  uint64 a_uint64 = 6;
  sint32 a_sint32 = 7;
  sint64 a_sint64 = 8;
  fixed32 a_fixed32 = 9;
  fixed64 a_fixed64 = 10;
  sfixed32 a_sfixed32 = 11;
  sfixed64 a_sfixed64 = 12;
  bool a_bool = 13;
  string a_string = 14;
  bytes some_bytes = 15;
  Color color = 16; // Which one.
  optional int32 maybe = 17;
  oneof contact {
    string email = 18;
    Phone phone = 19;
  }
  repeated int64 ids = 20;
  repeated Color colors = 21;
  map<string, Phone> phones = 22;
  map<int64, string> by_id = 23;
  map<bool, int32> by_flag = 24;
  All inner = 25;
  google.protobuf.Timestamp time = 26;
  google.protobuf.Duration duration = 27;
  google.protobuf.Struct struct = 28;
  google.protobuf.Value value = 29;
  google.protobuf.ListValue list = 30;
  google.protobuf.FieldMask mask = 31;
  google.protobuf.Any any = 32;
  google.protobuf.Int64Value wrapped_long = 33;
  google.protobuf.BytesValue wrapped_bytes = 34;
  google.protobuf.BoolValue wrapped_bool = 35;
  google.protobuf.Empty empty = 36;
  google.protobuf.NullValue nothing = 37;
  repeated google.protobuf.Value values = 38;
  string named = 39 [json_name = "other-name", deprecated = true];
  repeated bytes chunks = 40;
  map<uint64, google.protobuf.Timestamp> times = 41;
  message Phone { string number = 1; }
}

message CountRequest {
  int32 to = 1;
  // Fails with this status behind the last number.
  int32 then_status = 2;
  bool then_hang = 3;
  int32 size = 4;
}
message Number { int64 number = 1; bytes padding = 2; }
message FailRequest { int32 code = 1; string message = 2; bytes details = 3; }
message Seen { map<string, string> metadata = 1; string deadline = 2; }
`;

/** A folder with files, and what removes it. */
export function folderWith(files: Readonly<Record<string, string>>): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-grpc-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

export interface Kitchen {
  readonly address: string;
  /** Paths of calls, in their order. */
  readonly called: readonly string[];
  /** What became of streaming and hanging calls: `"cancelled after 3"`. */
  readonly events: readonly string[];
  /** Resolves with the next event, or one that came already. */
  event(): Promise<string>;
  readonly server: grpc.Server;
  /** Also ends calls that are running. */
  stop(): void;
}

export interface KitchenOptions {
  readonly reflection?: boolean;
  readonly credentials?: grpc.ServerCredentials;
  readonly address?: string;
}

/** A real server on loopback, for the services of `kitchen`. */
export async function startKitchen(options: KitchenOptions = {}): Promise<Kitchen> {
  const { folder, remove } = folderWith({ "kitchen.proto": kitchen });
  const definition = loadSync(join(folder, "kitchen.proto"), { keepCase: true, longs: String, bytes: Buffer });
  remove();
  const server = new grpc.Server();
  const called: string[] = [];
  const events: string[] = [];
  const waiting: ((event: string) => void)[] = [];
  let told = 0;
  const tell = (event: string): void => {
    events.push(event);
    const next = waiting.shift();
    if (next !== undefined) {
      told++;
      next(event);
    }
  };
  const { Echo, ...loaded } = definition["test.v1.Kitchen"] as grpc.ServiceDefinition;
  if (Echo === undefined) throw new Error("no Echo");
  const same = (bytes: Buffer): Buffer => bytes;
  // byte for byte: what comes back is what was sent
  const service = { Echo: { ...Echo, requestDeserialize: same, responseSerialize: same }, ...loaded };
  server.addService(service, {
    Echo: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
      called.push("Echo");
      done(null, call.request);
    },
    Count: async (call: grpc.ServerWritableStream<Record<string, number | boolean>, unknown>) => {
      called.push("Count");
      const { to = 0, then_status: status, then_hang: hangs, size } = call.request;
      let sent = 0;
      // also told when a call has ended by itself
      call.on("cancelled", () => hangs === true && tell(`cancelled after ${sent}`));
      for (let number = 1; number <= Number(to) && !call.cancelled; number++) {
        sent++;
        const goesOn = call.write({ number, padding: Buffer.alloc(Number(size ?? 0)) });
        if (!goesOn) await Promise.race([once(call, "drain"), once(call, "cancelled")]);
      }
      if (hangs === true) return;
      if (typeof status === "number" && status > 0) call.emit("error", { code: status, details: "broken off" });
      else call.end();
    },
    Fail: (
      call: grpc.ServerUnaryCall<{ code: number; message: string; details: Buffer }, unknown>,
      done: grpc.sendUnaryData<unknown>,
    ) => {
      called.push("Fail");
      const metadata = new grpc.Metadata();
      const { code, message = "", details } = call.request;
      if (details?.length > 0) metadata.set("grpc-status-details-bin", details);
      done({ code, details: message, metadata });
    },
    Hang: (call: grpc.ServerUnaryCall<unknown, unknown>) => {
      called.push("Hang");
      tell("hanging");
      call.on("cancelled", () => tell("cancelled"));
    },
    Metadata: (call: grpc.ServerUnaryCall<unknown, unknown>, done: grpc.sendUnaryData<unknown>) => {
      called.push("Metadata");
      const metadata = Object.fromEntries(
        Object.keys(call.metadata.getMap()).map((key) => [
          key,
          call.metadata
            .get(key)
            .map((value) => (typeof value === "string" ? value : value.toString("hex")))
            .join("|"),
        ]),
      );
      const deadline = call.getDeadline();
      done(null, {
        metadata,
        deadline: deadline === Number.POSITIVE_INFINITY ? "" : String(Number(deadline) - Date.now()),
      });
    },
    Text: (call: grpc.ServerUnaryCall<{ value: string }, unknown>, done: grpc.sendUnaryData<unknown>) => {
      done(null, { stringValue: `${call.request.value}!` });
    },
    Upload: () => {},
    Chat: () => {},
  } as grpc.UntypedServiceImplementation);
  if (options.reflection === true) new ReflectionService(definition).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = options.credentials ?? grpc.ServerCredentials.createInsecure();
    server.bindAsync(options.address ?? "127.0.0.1:0", credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    called,
    events,
    event: async () => {
      const known = events[told];
      if (known !== undefined) {
        told++;
        return known;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    server,
    stop: () => server.forceShutdown(),
  };
}

/** A source and options in one object. */
export type GrpcUse = Partial<GrpcSource> & GrpcToolsOptions;

/** The tools of a source and options that are in one object. */
export function grpcToolsOf(use: GrpcUse): Promise<ClosableTools<GrpcTool>> {
  const { services, include, exclude, prefix, metadata, timeoutMs, omitDefaults, requireApproval, ...source } = use;
  const options = { services, include, exclude, prefix, metadata, timeoutMs, omitDefaults, requireApproval };
  return grpcTools(source, options);
}
