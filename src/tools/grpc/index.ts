/** Tools from the methods of gRPC services. Needs the packages `@grpc/grpc-js` and `protobufjs`. @packageDocumentation */

export { grpcTools } from "./grpc-tools.js";
export type { GrpcTool } from "./method-tool.js";
export type {
  GrpcChannelCredentials,
  GrpcClient,
  GrpcCredentials,
  GrpcMetadata,
  GrpcMetadataRecord,
  GrpcMetadataValue,
  GrpcMethod,
  GrpcProto,
  GrpcReflectionOptions,
  GrpcSource,
  GrpcTlsCredentials,
  GrpcToolsOptions,
} from "./options.js";
export type { GrpcStatusName } from "./status-names.js";
