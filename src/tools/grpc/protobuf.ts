import type { Type } from "protobufjs";
import { grpcPackageMissing } from "./errors.js";

export type { Enum, Field, MapField, Method, Root, Service, Type } from "protobufjs";

/** All that is used of protobufjs, which programs bring themselves. */
export type Protobuf = Awaited<ReturnType<typeof loadPackage>>;

/** With its readers of descriptors and of the JSON of well-known types. */
export async function loadProtobuf(): Promise<Protobuf> {
  try {
    return await loadPackage();
  } catch (cause) {
    throw grpcPackageMissing("protobufjs", cause);
  }
}

async function loadPackage() {
  const [{ default: protobuf }, { default: descriptors }, { default: json }] = await Promise.all([
    import("protobufjs"),
    import("protobufjs/ext/descriptor.js"),
    import("protobufjs/ext/protojson.js"),
  ]);
  return { protobuf, descriptors, json };
}

/** The name of a type without the dot in front: `acme.v1.Pet`. */
export const typeNameOf = ({ fullName }: Pick<Type, "fullName">): string => fullName.replace(/^\./, "");
