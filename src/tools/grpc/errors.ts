import { KumikoError, messageOf } from "../../errors.js";
import { schemaInvalid } from "../../schema/errors.js";
import { shorten, shortenText } from "../../schema/shorten.js";
import { list } from "../../wording.js";
import { type GrpcFailure, ToolCallError } from "../define/tool-call-error.js";
import { statusNames } from "./status-names.js";

/** The status of a call that ended with another one than OK. Metadata of the request is not part of it. */
export function grpcRefusal(path: string, details: GrpcFailure): ToolCallError<"grpc"> {
  const { statusCode, statusMessage, statusDetails, received } = details;
  const status = statusNames[statusCode] ?? "UNKNOWN";
  const after =
    received.length > 0 ? ` after ${received.length} ${received.length === 1 ? "message" : "messages"}` : "";
  const reason = statusMessage === "" ? "." : `: ${shortenText(statusMessage, { length: 2_000 })}`;
  const more = statusDetails.length === 0 ? "" : `\nDetails: ${shorten(statusDetails, { length: 2_000 })}`;
  const message = `${path} failed with ${status}${after}${reason}${more}`;
  return new ToolCallError(message, { source: "grpc", status, details });
}

export const grpcPackageMissing = (name: string, cause: unknown): KumikoError =>
  new KumikoError(
    "PACKAGE_MISSING",
    `grpcTools needs the packages @grpc/grpc-js and protobufjs, and ${name} cannot be loaded. Install them: ` +
      "npm install @grpc/grpc-js protobufjs. They need a server runtime (Node.js, Bun, Deno): in a browser, call your own server.",
    { cause },
  );

// options

const invalidOption = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `grpcTools: ${what}`, cause === undefined ? {} : { cause });

/** Without the value: it may hold a key. */
export const invalidCredentials = (): KumikoError =>
  invalidOption(
    'credentials must be "tls", "insecure", { rootCertificates, privateKey, certificateChain } with strings or bytes, or ChannelCredentials of @grpc/grpc-js.',
  );

export const credentialsUnusable = (cause: unknown): KumikoError =>
  invalidOption(`no connection can be made with these credentials: ${messageOf(cause)}`, cause);

export const noServer = (): KumikoError =>
  invalidOption('say where the server is: address, such as "pets.example.com:443", or a client of @grpc/grpc-js.');

export const twoServers = (name: string): KumikoError =>
  invalidOption(`a client has its own connection: leave ${name} out, or the client.`);

export const noDescription = (): KumikoError =>
  invalidOption("describe the services: with proto, from .proto files or a descriptor set, or reflection: true.");

export const twoDescriptions = (): KumikoError =>
  invalidOption("the services are described by proto or by reflection, not by both. Leave one of them out.");

export const unusedOption = (name: string, rule: string): KumikoError => invalidOption(`${name} only counts ${rule}.`);

export const addressUnusable = (address: string, cause: unknown): KumikoError =>
  invalidOption(`"${address}" is not an address of a server: ${messageOf(cause)}`, cause);

export const unknownService = (name: string, known: readonly string[]): KumikoError =>
  invalidOption(`services names "${name}", which is not a service. Services: ${list(known, 50)}.`);

export const clientStreamingUnsupported = (name: string, path: string): KumikoError =>
  invalidOption(
    `include names "${name}", but ${path} takes a stream of messages, and a tool call has one. Leave it out, or offer a method for one message.`,
  );

export const invalidMetadata = (path: string, what: string): KumikoError =>
  new KumikoError("INVALID_OPTION", `The metadata of ${path} cannot be sent: ${what} Nothing was sent.`);

// descriptions

export const noServices = (where: string): KumikoError =>
  schemaInvalid(`grpcTools found no service in ${where}. Give the file that declares it.`);

export const fileNotFound = (name: string, cause: unknown): KumikoError =>
  new KumikoError("LOAD_FAILED", `grpcTools cannot read the proto file "${name}": ${messageOf(cause)}`, { cause });

export const importNotFound = (name: string, from: string, looked: readonly string[]): KumikoError =>
  new KumikoError(
    "LOAD_FAILED",
    `grpcTools: "${from}" imports "${name}", which is in none of ${list(looked)}. Name its folder in includeDirs.`,
  );

export const protoBroken = (name: string, cause: unknown): KumikoError =>
  schemaInvalid(`grpcTools cannot read the proto file "${name}": ${messageOf(cause)}`, cause);

export const protoIncomplete = (where: string, cause: unknown): KumikoError =>
  schemaInvalid(`grpcTools: ${where} cannot be used as it is: ${messageOf(cause)}`, cause);

export const descriptorsBroken = (cause: unknown): KumikoError =>
  schemaInvalid(
    `grpcTools: the bytes in proto are not a FileDescriptorSet with all its imports: ${messageOf(cause)} ` +
      "Make it with `protoc --include_imports --descriptor_set_out=…` or `buf build -o ….binpb`.",
    cause,
  );

export const reflectionOff = (address: string): KumikoError =>
  new KumikoError(
    "LOAD_FAILED",
    `grpcTools: ${address} offers no reflection. Switch it on there, or describe the services with proto.`,
  );

export const reflectionFailed = (address: string, cause: unknown): KumikoError =>
  new KumikoError("LOAD_FAILED", `grpcTools cannot ask ${address} for its services: ${messageOf(cause)}`, { cause });

export const reflectionRefused = (what: string, code: number, text: string): Error =>
  new Error(`it did not describe ${what}: ${statusNames[code] ?? code} ${text}`.trimEnd());

export const sameName = (name: string, first: string, second: string): KumikoError =>
  new KumikoError(
    "DUPLICATE_TOOL",
    `grpcTools would give ${first} and ${second} the same name, "${name}". Make tools of one of them: services, include or exclude.`,
  );

// calls

export const requestUnusable = (path: string, what: string): KumikoError =>
  new KumikoError("TOOL_FAILED", `The request of ${path} does not fit: ${what} Nothing was sent.`);

export const grpcAnswerUnreadable = (path: string, type: string, cause: unknown): KumikoError =>
  new KumikoError("TOOL_FAILED", `${path} answered with bytes that are not a ${type}: ${messageOf(cause)}`, { cause });

export const toolsClosed = (path: string): KumikoError =>
  new KumikoError("TOOL_FAILED", `${path} was not called: these tools have been closed.`);
