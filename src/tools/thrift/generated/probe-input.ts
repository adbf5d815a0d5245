import type { ScalarKind } from "../definition.js";
import type { ThriftPackage } from "../load-thrift.js";

/** The reads that generated code makes for one field, in order: a list is followed by one part, a map by a key and a value. */
export type ReadStep = { readonly kind: ScalarKind | "list" | "set" | "map" | "struct" };

/** The beginning of a field in a message. */
export interface FieldHeader {
  readonly fid: number;
  readonly ftype: number;
}

/** All types that a field can have in a message. */
const types = [2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15, 16] as const;
const stop: FieldHeader = { fid: 0, ftype: 0 };
const most = 32_767;

/**
 * Stands for a message that generated code reads, and notes what it asks for. Generated code holds no descriptions of types:
 * what a field is shows in how it is read.
 */
export class ProbeInput {
  /** The reads of the fields. */
  readonly steps: ReadStep[] = [];
  readonly #Int64: ThriftPackage["Int64"];
  readonly #next: () => FieldHeader;
  #depth = 0;

  constructor({ Int64 }: Pick<ThriftPackage, "Int64">, next: () => FieldHeader) {
    this.#Int64 = Int64;
    this.#next = next;
  }

  readMessageEnd(): void {}
  incrementRecursionDepth(): void {}
  decrementRecursionDepth(): void {}

  /** Structs in structs are empty here: their fields are asked for on their own. */
  readStructBegin(): void {
    this.#depth += 1;
    if (this.#depth > 1) this.steps.push({ kind: "struct" });
  }

  readStructEnd(): void {
    this.#depth -= 1;
  }

  readFieldBegin(): FieldHeader {
    return this.#depth > 1 ? stop : this.#next();
  }

  readFieldEnd(): void {}
  skip(): void {}

  // values that are neither nothing nor empty

  readBool = (): boolean => this.#note("bool", true);
  readByte = (): number => this.#note("i8", 1);
  readI16 = (): number => this.#note("i16", 1);
  readI32 = (): number => this.#note("i32", 1);
  readI64 = (): unknown => this.#note("i64", new this.#Int64(Buffer.alloc(8)));
  readDouble = (): number => this.#note("double", 1);
  readString = (): string => this.#note("string", "x");
  readBinary = (): Uint8Array => this.#note("binary", Buffer.alloc(1));
  readUuid = (): string => this.#note("uuid", "00000000-0000-0000-0000-000000000000");
  readListBegin = (): object => this.#note("list", { etype: 0, size: 1 });
  readSetBegin = (): object => this.#note("set", { etype: 0, size: 1 });
  readMapBegin = (): object => this.#note("map", { ktype: 0, vtype: 0, size: 1 });
  readListEnd(): void {}
  readSetEnd(): void {}
  readMapEnd(): void {}

  #note<T>(kind: ReadStep["kind"], value: T): T {
    this.steps.push({ kind });
    return value;
  }
}

/** A read of one struct, by generated code. */
export type Read = (input: ProbeInput) => void;

/** The fields that generated code reads: all ids are tried with all types, until there are as many as are known to be. */
export function findFields(thrift: ThriftPackage, read: Read, count = Number.POSITIVE_INFINITY): FieldHeader[] {
  const found: FieldHeader[] = [];
  const header = { fid: 0, ftype: 0 };
  let typeIndex = -1;
  let seen = 0;
  const input = new ProbeInput(thrift, () => {
    if (input.steps.length > seen) {
      seen = input.steps.length;
      found.push({ ...header });
      typeIndex = types.length;
    }
    typeIndex += 1;
    if (typeIndex >= types.length) {
      typeIndex = 0;
      // ids that nobody wrote down count down from -1
      header.fid = header.fid >= 0 && header.fid < most ? header.fid + 1 : header.fid < 0 ? header.fid - 1 : -1;
    }
    if (found.length >= count || header.fid < -most) return stop;
    header.ftype = types[typeIndex] ?? 0;
    return header;
  });
  read(input);
  return found;
}

/** Reads a message with nothing but one field. */
export function readField(thrift: ThriftPackage, header: FieldHeader, read: Read): readonly ReadStep[] {
  const headers = [header];
  const input = new ProbeInput(thrift, () => headers.pop() ?? stop);
  read(input);
  return input.steps;
}
