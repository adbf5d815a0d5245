// The methods of a gRPC service as tools. The server runs in this process; for your own, pass its address. Reflection
// or .proto files describe its methods.
// expect: Pets_GetPet: Finds a pet by its number.
// expect: {"id":"9007199254740993","name":"Mio"}
// expect: chunk: [{"id":"1","name":"Ren"}
// expect: chunk: ,{"id":"2","name":"Yuki"}
// expect: NOT_FOUND: there is no pet 7
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { AgenticToolsNode, assistantMessage, findCause, functionToolCall, ToolCallError, toolResultsOf } from "kumiko";
import { grpcTools } from "kumiko/grpc";
import protobuf from "protobufjs";

const proto = `
  syntax = "proto3";
  package acme.v1;
  service Pets {
    // Finds a pet by its number.
    rpc GetPet(PetId) returns (Pet) { option idempotency_level = NO_SIDE_EFFECTS; }
    // All pets, one by one.
    rpc ListPets(Nothing) returns (stream Pet) { option idempotency_level = NO_SIDE_EFFECTS; }
  }
  message Nothing {}
  message PetId { int64 id = 1; }
  message Pet { int64 id = 1; string name = 2; }
`;

// the server
const types = protobuf.parse(proto).root;
const [PetId, Pet] = [types.lookupType("acme.v1.PetId"), types.lookupType("acme.v1.Pet")];
const messages = {
  requestStream: false,
  requestSerialize: (value: object) => Buffer.from(PetId.encode(value).finish()),
  requestDeserialize: (bytes: Buffer) => PetId.decode(bytes),
  responseSerialize: (value: object) => Buffer.from(Pet.encode(Pet.fromObject(value)).finish()),
  responseDeserialize: (bytes: Buffer) => Pet.decode(bytes),
};
const server = new Server();
server.addService(
  {
    GetPet: { ...messages, path: "/acme.v1.Pets/GetPet", responseStream: false },
    ListPets: { ...messages, path: "/acme.v1.Pets/ListPets", responseStream: true },
  },
  {
    GetPet: ({ request }: ServerUnaryCall<{ id: object }, object>, answer: sendUnaryData<object>) => {
      if (String(request.id) === "7") answer({ code: 5, details: "there is no pet 7" });
      else answer(null, { id: request.id, name: "Mio" });
    },
    ListPets: (call: ServerWritableStream<object, object>) => {
      call.write({ id: 1, name: "Ren" });
      call.write({ id: 2, name: "Yuki" });
      call.end();
    },
  },
);
const port = await new Promise<number>((resolve, reject) => {
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
    error === null ? resolve(bound) : reject(error),
  );
});

// its tools
const pets = await grpcTools(
  { address: `127.0.0.1:${port}`, proto: { "pets.proto": proto } },
  {
    metadata: (ctx) => ({ "x-tenant": String(ctx.requestContext.get("tenant") ?? "acme") }),
    timeoutMs: 5_000,
  },
);
for (const { id, description } of pets) console.log(`${id}: ${description}`);
const node = new AgenticToolsNode(pets);
const call = (name: string, args: string) => assistantMessage(functionToolCall({ callId: "1", name, arguments: args }));

// 64-bit integers keep all their digits
const found = await node.invoke(call("Pets_GetPet", '{"id":9007199254740993}'));
console.log(found.flatMap(toolResultsOf)[0]?.result);

for await (const chunk of node.stream(call("Pets_ListPets", "{}"))) {
  for (const { result } of chunk.flat().flatMap(toolResultsOf)) console.log(`chunk: ${result}`);
}

try {
  await node.invoke(call("Pets_GetPet", '{"id":"7"}'));
} catch (error) {
  const refused = findCause(error, ToolCallError);
  if (ToolCallError.is(refused, "grpc")) console.log(`${refused.status}: ${refused.details.statusMessage}`);
}

await pets.close();
server.forceShutdown();
