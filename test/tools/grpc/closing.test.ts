import grpc from "@grpc/grpc-js";
import { grpcTools } from "kumiko/grpc";
import { toolContext } from "kumiko/testing";
import { expect, it } from "vitest";

const proto = 'syntax = "proto3"; service Echo { rpc Same(Text) returns (Text); } message Text { string value = 1; }';
const same = (bytes: Buffer): Buffer => bytes;
const method = {
  path: "/Echo/Same",
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
} as const;

it("close() lets calls end that are running", async () => {
  const server = new grpc.Server();
  let answer = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    const Same = (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>): void => {
      answer = () => done(null, call.request);
      resolve();
    };
    server.addService({ Same: method }, { Same });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  try {
    const tools = await grpcTools({ address: `127.0.0.1:${port}`, proto: { "echo.proto": proto } });
    const call = tools[0]?.invoke('{"value":"late"}', toolContext());
    await hasBegun;
    await tools.close();
    answer();
    expect(await call).toBe('{"value":"late"}');
  } finally {
    server.forceShutdown();
  }
});
