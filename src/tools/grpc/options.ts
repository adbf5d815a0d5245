import type { ToolContext } from "../../components/tool.js";
import type { ToolSourceOptions } from "../define/tool-source.js";

/** A value of metadata. A key that ends in `-bin` has bytes, every other one text; a list is sent as several values. */
export type GrpcMetadataValue = string | Uint8Array | readonly (string | Uint8Array)[];

/** Metadata by key. What is undefined is not sent. */
export type GrpcMetadataRecord = Readonly<Record<string, GrpcMetadataValue | undefined>>;

/** Metadata, or a function that returns it for each call. */
export type GrpcMetadata =
  | GrpcMetadataRecord
  | ((ctx: ToolContext, method: GrpcMethod) => GrpcMetadataRecord | Promise<GrpcMetadataRecord>);

/** TLS settings beside the certificates of the platform. Strings and bytes are PEM. */
export interface GrpcTlsCredentials {
  /** Certificates of the authorities to trust. @default those of the platform */
  readonly rootCertificates?: string | Uint8Array | undefined;
  /** The key of the client, where the server wants to know who calls; with `certificateChain`. */
  readonly privateKey?: string | Uint8Array | undefined;
  /** The certificate of the client, with its chain. */
  readonly certificateChain?: string | Uint8Array | undefined;
}

/** `ChannelCredentials` of `@grpc/grpc-js`, such as `credentials.createSsl()` returns. */
export interface GrpcChannelCredentials {
  /** Combines channel and call credentials. */
  compose(callCredentials: never): object;
}

/** How a server is connected to: `"tls"`, `"insecure"` (plain text), certificates, or `ChannelCredentials` of `@grpc/grpc-js`. */
export type GrpcCredentials = "tls" | "insecure" | GrpcTlsCredentials | GrpcChannelCredentials;

/** A client of `@grpc/grpc-js`: an instance of `Client`, or of the class of a service. */
export interface GrpcClient {
  /** Makes a call with one answer. */
  makeUnaryRequest(...args: never[]): unknown;
  /** Makes a call whose answer is a stream. */
  makeServerStreamRequest(...args: never[]): unknown;
  /** Makes a call with a stream in both directions. */
  makeBidiStreamRequest(...args: never[]): unknown;
  /** Closes the connection. */
  close(): void;
}

/**
 * Where the services are described: paths of `.proto` files, a record of their contents by file name, or the bytes of a
 * `FileDescriptorSet` (`protoc --include_imports --descriptor_set_out`, `buf build`).
 */
export type GrpcProto = string | readonly string[] | Readonly<Record<string, string>> | Uint8Array;

/** How the server is asked for its services. */
export interface GrpcReflectionOptions {
  /** Sent with the questions. @default the `metadata` of the tools, unless that is a function */
  readonly metadata?: GrpcMetadataRecord | undefined;
  /** How long all questions together may take, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
}

/** A gRPC server, and where its services are described. */
export interface GrpcSource {
  /** Where the server is: `"pets.example.com:443"`, `"unix:/run/pets.sock"`, or another name that gRPC knows. */
  readonly address?: string | undefined;
  /** In place of `address`: a client of your own, with its credentials and interceptors. It stays open when the tools are closed. */
  readonly client?: GrpcClient | undefined;
  /** How the connection is secured. @default "tls"; "insecure" for addresses of this machine: `localhost`, `127.0.0.1`, `[::1]`, `unix:` */
  readonly credentials?: GrpcCredentials | undefined;
  /** Options of the channel, by their names in gRPC: `{ "grpc.max_receive_message_length": 16_000_000 }`. */
  readonly channelOptions?: Readonly<Record<string, string | number>> | undefined;
  /** Where the services are described; in place of `reflection`. */
  readonly proto?: GrpcProto | undefined;
  /** Folders in which the imports of `.proto` files are looked for. @default the folder of each file that `proto` names */
  readonly includeDirs?: readonly string[] | undefined;
  /** Asks the server what it offers, by the reflection service (v1, else v1alpha); in place of `proto`. @default false */
  readonly reflection?: boolean | GrpcReflectionOptions | undefined;
}

/**
 * Options of {@link grpcTools}. Names in `include` and `exclude` are `"GetPet"`, `"Pets.GetPet"` or `"acme.v1.Pets/GetPet"`. A method
 * that takes a stream of messages cannot be a tool, so its name in `include` is an error.
 */
export interface GrpcToolsOptions extends ToolSourceOptions<GrpcMethod> {
  /** Services to make tools of, with their package or without: `"acme.v1.Pets"`, `"Pets"`. @default all, but those of gRPC itself */
  readonly services?: readonly string[] | undefined;
  /**
   * Sent with each call: keys and tokens belong here. A function is called for each call, and can take them from
   * `ctx.requestContext`. No error shows them.
   */
  readonly metadata?: GrpcMetadata | undefined;
  /** How long each call may take, in milliseconds. It is sent to the server as the deadline of the call. @default what the node says */
  readonly timeoutMs?: number | undefined;
  /**
   * Leaves fields out of answers that have their default (0, "", false, an empty list), as the JSON of protobuf does. A model
   * that reads it cannot tell "0" from "not known" then. @default false
   */
  readonly omitDefaults?: boolean | undefined;
}

/** The method that a tool was made from: its `metadata`, and the argument of `include`, `exclude` and `requireApproval`. */
export interface GrpcMethod {
  /** With its package: `acme.v1.Pets`. */
  readonly service: string;
  /** As in the service: `GetPet`. */
  readonly method: string;
  /** As it is called: `/acme.v1.Pets/GetPet`. */
  readonly path: string;
  /** Whether it answers with a stream of messages. */
  readonly isStreaming: boolean;
  /** Whether the method is marked as deprecated. */
  readonly deprecated: boolean;
  /** The promise of its option `idempotency_level`. */
  readonly idempotency: "no_side_effects" | "idempotent" | undefined;
}
