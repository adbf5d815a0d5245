import { isFields } from "../../is.js";
import { checkApprovalNames } from "../define/approval-option.js";
import { type ClosableTools, closable } from "../define/tool-source.js";
import { toMetadata } from "./call-metadata.js";
import { checkGrpcOptions } from "./check-options.js";
import { connect } from "./connect.js";
import { type Described, findMethods, toolNames, wantedServices } from "./find-methods.js";
import { type Connection, type GrpcJs, loadGrpcJs } from "./grpc-js.js";
import { loadDescriptors } from "./load-descriptors.js";
import { loadProtoFiles } from "./load-proto-files.js";
import { type GrpcTool, grpcMethodTool } from "./method-tool.js";
import type { GrpcReflectionOptions, GrpcSource, GrpcToolsOptions } from "./options.js";
import { loadProtobuf, type Protobuf } from "./protobuf.js";
import { reflect } from "./reflect.js";
import { StatusDetails } from "./status-details.js";

/**
 * Makes a tool of each method of gRPC services that takes one message; a method that answers with a stream gives a tool that
 * streams. Arguments and answers are the JSON of protobuf: 64-bit integers are strings, bytes are base64, enums are names.
 * A status other than OK is an error of kind `execution`, caused by a `ToolCallError`. Tools are named
 * `Service_Method`. Needs the packages `@grpc/grpc-js` and `protobufjs`, and a server runtime. Connects at the first call, or
 * at once to ask for the services with `reflection`. `close` of the array lets running calls end.
 *
 * @example
 * const proto = { "pets.proto": 'syntax = "proto3"; service Pets { rpc Get(Id) returns (Pet); } message Id { int64 id = 1; } message Pet { string name = 1; }' };
 * const pets = await grpcTools({ address: "pets.example.com:443", proto }, { metadata: { authorization: "Bearer …" } });
 * const node = new AgenticToolsNode(pets);
 */
export async function grpcTools(source: GrpcSource, options: GrpcToolsOptions = {}): Promise<ClosableTools<GrpcTool>> {
  checkGrpcOptions(source, options);
  const [grpc, kit] = await Promise.all([loadGrpcJs(), loadProtobuf()]);
  const { address = "", client } = source;
  const connection = (client as object | undefined as Connection | undefined) ?? connect(grpc, address, source);
  const close = (): void => {
    if (client === undefined) connection.close();
  };
  try {
    const described = await describe(source, options, grpc, kit, connection);
    const places = findMethods(described, options);
    const names = toolNames(places, options.prefix ?? "");
    checkApprovalNames("grpcTools", options, names);
    const surroundings = { grpc, kit, connection, details: new StatusDetails(kit, described.root), options };
    const tools = places.map((place, index) => grpcMethodTool(names[index] ?? "", place, surroundings));
    return closable(tools, close);
  } catch (error) {
    close();
    throw error;
  }
}

/** Where the services and their messages are described. */
async function describe(
  source: GrpcSource,
  options: GrpcToolsOptions,
  grpc: GrpcJs,
  kit: Protobuf,
  connection: Connection,
): Promise<Described> {
  const { proto, includeDirs = [] } = source;
  if (proto === undefined) return reflected(source, options, grpc, kit, connection);
  if (proto instanceof Uint8Array) return { root: loadDescriptors(kit, proto), where: "the descriptors in proto" };
  const texts =
    typeof proto === "string" || Array.isArray(proto) ? new Map<string, string>() : new Map(Object.entries(proto));
  const names = typeof proto === "string" ? [proto] : Array.isArray(proto) ? proto : [...texts.keys()];
  const root = await loadProtoFiles(kit, { names, texts, includeDirs });
  return { root, where: names.map((name) => `"${name}"`).join(", ") };
}

async function reflected(
  { address, reflection }: GrpcSource,
  { metadata, services }: GrpcToolsOptions,
  grpc: GrpcJs,
  kit: Protobuf,
  connection: Connection,
): Promise<Described> {
  const given: GrpcReflectionOptions = isFields(reflection) ? reflection : {};
  const sent = given.metadata ?? (typeof metadata === "function" ? undefined : metadata);
  const server = address === undefined ? "the server" : `the server at ${address}`;
  const answer = await reflect({
    kit,
    connection,
    server,
    metadata: toMetadata(grpc, "the reflection service", sent),
    timeoutMs: given.timeoutMs ?? 10_000,
    isWanted: wantedServices(services),
  });
  return { root: loadDescriptors(kit, answer.descriptors), where: server, offered: answer.services };
}
