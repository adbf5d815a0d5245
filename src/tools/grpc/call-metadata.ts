import type { ToolContext } from "../../components/tool.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMetadata } from "./errors.js";
import type { GrpcJs, Metadata } from "./grpc-js.js";
import type { GrpcMetadata, GrpcMetadataRecord, GrpcMethod } from "./options.js";

/** The metadata of one call. */
export async function callMetadata(
  grpc: GrpcJs,
  given: GrpcMetadata | undefined,
  ctx: ToolContext,
  method: GrpcMethod,
): Promise<Metadata> {
  return toMetadata(grpc, method.path, typeof given === "function" ? await given(ctx, method) : given);
}

/** Errors name the key and never the value, which may be a secret. */
export function toMetadata(grpc: GrpcJs, path: string, given: GrpcMetadataRecord | undefined): Metadata {
  const metadata = new grpc.Metadata();
  if (given === undefined) return metadata;
  if (!isFields(given) || given instanceof grpc.Metadata) {
    throw invalidMetadata(path, `it must be a record of strings and bytes, but is ${kindOf(given)}.`);
  }
  for (const [key, values] of Object.entries(given)) {
    if (values === undefined) continue;
    for (const value of Array.isArray(values) ? values : [values]) add(metadata, path, key, value);
  }
  return metadata;
}

function add(metadata: Metadata, path: string, key: string, value: unknown): void {
  const isBinary = key.toLowerCase().endsWith("-bin");
  if (isBinary ? !(value instanceof Uint8Array) : typeof value !== "string") {
    const wanted = isBinary ? "bytes, because its key ends in -bin" : "a text";
    throw invalidMetadata(path, `"${key}" must be ${wanted}, but is ${kindOf(value)}.`);
  }
  try {
    metadata.add(key, value instanceof Uint8Array ? Buffer.from(value) : String(value));
  } catch {
    throw invalidMetadata(path, `the key "${key}", or its value, has characters that are not allowed.`);
  }
}
