import type {
  CallOptions,
  ChannelCredentials,
  Client,
  ClientDuplexStream,
  Metadata,
  ServiceError,
} from "@grpc/grpc-js";
import { grpcPackageMissing } from "./errors.js";

export type { CallOptions, ChannelCredentials, Metadata, ServiceError };

/** All that is used of `@grpc/grpc-js`, which programs bring themselves. */
export type GrpcJs = Awaited<ReturnType<typeof loadPackage>>;

/** A client, as the package has it. */
export type Connection = Client;
/** A call in which both sides send messages. */
export type Exchange = ClientDuplexStream<Uint8Array, object>;

export async function loadGrpcJs(): Promise<GrpcJs> {
  try {
    return await loadPackage();
  } catch (cause) {
    throw grpcPackageMissing("@grpc/grpc-js", cause);
  }
}

/** The package is CommonJS: Node.js gives its names under `default` as well, and some bundlers only there or only here. */
async function loadPackage() {
  const loaded = await import("@grpc/grpc-js");
  return "Client" in loaded ? loaded : (loaded as { readonly default: typeof loaded }).default;
}
