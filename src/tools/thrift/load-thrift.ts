import { loadPackage } from "../../optional-package.js";

/** A protocol of the package: how values are written and read. */
export interface Protocol {
  writeMessageBegin(name: string, type: number, seqid: number): void;
  writeMessageEnd(): void;
  writeStructBegin(name: string): void;
  writeStructEnd(): void;
  writeFieldBegin(name: string, type: number, id: number): void;
  writeFieldEnd(): void;
  writeFieldStop(): void;
  writeMapBegin(keyType: number, valueType: number, size: number): void;
  writeMapEnd(): void;
  writeListBegin(type: number, size: number): void;
  writeListEnd(): void;
  writeSetBegin(type: number, size: number): void;
  writeSetEnd(): void;
  writeBool(value: boolean): void;
  writeByte(value: number): void;
  writeI16(value: number): void;
  writeI32(value: number): void;
  writeI64(value: Int64): void;
  writeDouble(value: number): void;
  writeString(value: string): void;
  writeBinary(value: Uint8Array): void;
  writeUuid?(value: string): void;
  flush(): void;
  readMessageBegin(): { readonly fname: string; readonly mtype: number; readonly rseqid: number };
  readMessageEnd(): void;
  readStructBegin(): unknown;
  readStructEnd(): void;
  readFieldBegin(): { readonly ftype: number; readonly fid: number };
  readFieldEnd(): void;
  readMapBegin(): { readonly ktype: number; readonly vtype: number; readonly size: number };
  readMapEnd(): void;
  readListBegin(): { readonly etype: number; readonly size: number };
  readListEnd(): void;
  readSetBegin(): { readonly etype: number; readonly size: number };
  readSetEnd(): void;
  readBool(): boolean;
  readByte(): number;
  readI16(): number;
  readI32(): number;
  readI64(): Int64;
  readDouble(): number;
  readString(): string;
  readBinary(): Uint8Array;
  readUuid?(): string;
  skip(type: number): void;
}

/** 64 bits, big end first. */
export interface Int64 {
  readonly buffer: Uint8Array;
  readonly offset?: number;
}

type Transport = object;

/** The parts of the package that are used. */
export interface ThriftPackage {
  readonly TBinaryProtocol: new (transport: Transport) => Protocol;
  readonly TCompactProtocol: new (transport: Transport) => Protocol;
  readonly TBufferedTransport: new (buffer: undefined, onFlush: (message: Uint8Array) => void) => Transport;
  /** Reads from the bytes that it is given. */
  readonly TFramedTransport: new (
    bytes: Uint8Array,
  ) => Transport;
  readonly Int64: new (bytes: Uint8Array) => Int64;
}

/** The official package, loaded when it is needed first. */
export async function loadThrift(): Promise<ThriftPackage> {
  const loaded: object = await loadPackage("thrift", "thriftTools", () => import("thrift"));
  const thrift = (Reflect.get(loaded, "default") ?? loaded) as ThriftPackage;
  return { ...thrift, TCompactProtocol: withBools(thrift.TCompactProtocol) };
}

/** The compact protocol's note of a field whose value is in its header. */
interface Compact extends Protocol {
  readonly boolValue_?: { readonly hasBoolValue?: boolean | null };
}

/** The package reads all bools in lists, sets and maps of the compact protocol as false (0.24). */
function withBools(Compact: new (transport: Transport) => Compact): new (transport: Transport) => Protocol {
  return class extends Compact {
    override readBool(): boolean {
      return this.boolValue_?.hasBoolValue === true ? super.readBool() : super.readByte() === 1;
    }
  };
}
