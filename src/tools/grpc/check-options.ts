import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import { checkTimeout } from "../define/tool-settings.js";
import { invalidGrpcOption, noDescription, noServer, twoDescriptions, twoServers, unusedOption } from "./errors.js";
import type { GrpcToolsOptions } from "./options.js";

/** For plain JavaScript, and for what types cannot say. */
export function checkGrpcOptions(options: GrpcToolsOptions): void {
  checkOptions("grpcTools", options, Object.keys(rules));
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !rule.holds(value))
      throw invalidGrpcOption(name, rule.is, name === "metadata" ? "another value" : value);
  }
  checkTimeout("grpcTools", options.timeoutMs);
  checkServer(options);
  checkDescription(options);
}

function checkServer(options: GrpcToolsOptions): void {
  const { address, client } = options;
  if (address === undefined && client === undefined) throw noServer();
  if (client === undefined) return;
  for (const name of ["address", "credentials", "channelOptions"] as const) {
    if (options[name] !== undefined) throw twoServers(name);
  }
}

function checkDescription({ proto, reflection = false, includeDirs }: GrpcToolsOptions): void {
  if (proto === undefined && reflection === false) throw noDescription();
  if (proto !== undefined && reflection !== false) throw twoDescriptions();
  const isText = typeof proto === "string" || Array.isArray(proto);
  if (includeDirs !== undefined && !isText) throw unusedOption("includeDirs", "for paths of .proto files in proto");
  if (isFields(reflection)) checkReflection(reflection);
}

function checkReflection(reflection: Readonly<Record<string, unknown>>): void {
  checkOptions("reflection of grpcTools", reflection, ["metadata", "timeoutMs"]);
  if (reflection.metadata !== undefined && !isFields(reflection.metadata)) {
    throw invalidGrpcOption("reflection.metadata", "a record", "another value");
  }
  checkTimeout("reflection of grpcTools", reflection.timeoutMs);
}

interface Rule {
  readonly is: string;
  readonly holds: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isAny = (): boolean => true;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isClient = (value: unknown): boolean =>
  isFields(value) &&
  ["makeUnaryRequest", "makeServerStreamRequest"].every((name) => typeof Reflect.get(value, name) === "function");
const isProto = (value: unknown): boolean =>
  isText(value) ||
  (Array.isArray(value) && value.length > 0 && value.every(isText)) ||
  value instanceof Uint8Array ||
  (isFields(value) && Object.keys(value).length > 0 && Object.values(value).every((text) => typeof text === "string"));

const texts: Rule = { is: "an array of strings", holds: isTexts };

const rules: Readonly<Record<string, Rule>> = {
  address: { is: 'the address of a server, such as "localhost:50051"', holds: isText },
  client: { is: "a client of @grpc/grpc-js", holds: isClient },
  // checked where they are used: an error must not show them
  credentials: { is: "credentials", holds: isAny },
  channelOptions: { is: "a record", holds: isFields },
  proto: {
    is: "paths of .proto files, a record of their contents, or the bytes of a FileDescriptorSet",
    holds: isProto,
  },
  includeDirs: texts,
  reflection: { is: "true, false or { metadata, timeoutMs }", holds: (value) => isBoolean(value) || isFields(value) },
  services: texts,
  include: texts,
  filter: { is: "a function of a method", holds: (value) => typeof value === "function" },
  prefix: { is: "a text", holds: (value) => typeof value === "string" },
  metadata: { is: "a record or a function", holds: (value) => isFields(value) || typeof value === "function" },
  timeoutMs: { is: "a number of milliseconds", holds: isAny },
  omitDefaults: { is: "true or false", holds: isBoolean },
  requireApproval: { is: "an approval", holds: isAny },
};
