/** Kinds of values that have no parts. `byte` is `i8`. */
export type ScalarKind = "bool" | "i8" | "i16" | "i32" | "i64" | "double" | "string" | "binary" | "uuid";

export interface ScalarType {
  readonly kind: ScalarKind;
}

export interface EnumType {
  readonly kind: "enum";
  readonly name: string;
  readonly description: string | undefined;
  readonly members: ReadonlyMap<string, number>;
}

export interface ListType {
  readonly kind: "list" | "set";
  readonly of: ThriftType;
}

export interface MapType {
  readonly kind: "map";
  readonly key: ThriftType;
  readonly value: ThriftType;
}

/** May contain itself: `fields` are those of the one object that stands for the struct. */
export interface StructType {
  readonly kind: "struct" | "union" | "exception";
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly FieldDefinition[];
}

export type ThriftType = ScalarType | EnumType | ListType | MapType | StructType;

export interface FieldDefinition {
  readonly id: number;
  readonly name: string;
  readonly type: ThriftType;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** In the form of an argument; sent where none is given. */
  readonly fallback: unknown;
}

export interface MethodDefinition {
  readonly name: string;
  readonly description: string | undefined;
  readonly isOneway: boolean;
  readonly parameters: readonly FieldDefinition[];
  /** `undefined` for `void`. */
  readonly result: ThriftType | undefined;
  readonly exceptions: readonly FieldDefinition[];
}

export interface ServiceDefinition {
  readonly name: string;
  /** Its own, then those that it inherits. */
  readonly methods: readonly MethodDefinition[];
}

/** The numbers of types in messages. */
export const wireTypes = {
  bool: 2,
  i8: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  binary: 11,
  struct: 12,
  union: 12,
  exception: 12,
  map: 13,
  set: 14,
  list: 15,
  uuid: 16,
  enum: 8,
} as const satisfies Readonly<Record<ThriftType["kind"], number>>;

/** Whether values of a type can be the keys of a JSON object, as strings. */
export function isTextual({ kind }: ThriftType): boolean {
  return !["struct", "union", "exception", "list", "set", "map"].includes(kind);
}

export function isStruct(type: ThriftType): type is StructType {
  return type.kind === "struct" || type.kind === "union" || type.kind === "exception";
}
