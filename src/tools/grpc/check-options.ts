import { checkOptions, type OptionCheck } from "../../check-options.js";
import { isFields } from "../../is.js";
import { checkTimeout } from "../define/tool-settings.js";
import { toolSourceOptions } from "../define/tool-source.js";
import { noDescription, noServer, twoDescriptions, twoServers, unusedOption } from "./errors.js";
import type { GrpcSource, GrpcToolsOptions } from "./options.js";

/** Checks what types cannot say, also for plain JavaScript. */
export function checkGrpcOptions(source: GrpcSource, options: GrpcToolsOptions): void {
  checkOptions("the source of grpcTools", source, sourceChecks);
  checkOptions("grpcTools", options, optionChecks);
  checkTimeout("grpcTools", options.timeoutMs);
  checkServer(source);
  checkDescription(source);
}

function checkServer(source: GrpcSource): void {
  const { address, client } = source;
  if (address === undefined && client === undefined) throw noServer();
  if (client === undefined) return;
  for (const name of ["address", "credentials", "channelOptions"] as const) {
    if (source[name] !== undefined) throw twoServers(name);
  }
}

function checkDescription({ proto, reflection = false, includeDirs }: GrpcSource): void {
  if (proto === undefined && reflection === false) throw noDescription();
  if (proto !== undefined && reflection !== false) throw twoDescriptions();
  const isText = typeof proto === "string" || Array.isArray(proto);
  if (includeDirs !== undefined && !isText) throw unusedOption("includeDirs", "for paths of .proto files in proto");
  if (isFields(reflection)) checkReflection(reflection);
}

function checkReflection(reflection: Readonly<Record<string, unknown>>): void {
  checkOptions("reflection of grpcTools", reflection, { metadata: [isFields, "a record"], timeoutMs: true });
  checkTimeout("reflection of grpcTools", reflection.timeoutMs);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isClient = (value: unknown): boolean =>
  isFields(value) &&
  ["makeUnaryRequest", "makeServerStreamRequest"].every((name) => typeof Reflect.get(value, name) === "function");
const isProto = (value: unknown): boolean =>
  isText(value) ||
  (Array.isArray(value) && value.length > 0 && value.every(isText)) ||
  value instanceof Uint8Array ||
  (isFields(value) && Object.keys(value).length > 0 && Object.values(value).every((text) => typeof text === "string"));

const sourceChecks = {
  address: [isText, 'the address of a server, such as "localhost:50051"'],
  client: [isClient, "a client of @grpc/grpc-js"],
  // checked where they are used: an error must not show them
  credentials: true,
  channelOptions: [isFields, "a record"],
  proto: [isProto, "paths of .proto files, a record of their contents, or the bytes of a FileDescriptorSet"],
  includeDirs: [isTexts, "an array of strings"],
  reflection: [(value) => isBoolean(value) || isFields(value), "true, false or { metadata, timeoutMs }"],
} as const satisfies Readonly<Record<keyof GrpcSource, OptionCheck | true>>;

const optionChecks = {
  ...toolSourceOptions,
  services: [isTexts, "an array of strings"],
  metadata: [(value) => isFields(value) || typeof value === "function", "a record or a function"],
  timeoutMs: true,
  omitDefaults: [isBoolean, "true or false"],
} as const satisfies Readonly<Record<keyof GrpcToolsOptions, OptionCheck | true>>;
