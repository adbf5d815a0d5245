import { isFields } from "../../is.js";
import { fromBase64, toBase64 } from "../../schema/base64.js";
import { parseExactly } from "../openapi/exact-json.js";
import { answerDamaged } from "./errors.js";
import type { Int64, Protocol, ThriftPackage } from "./load-thrift.js";

const typeNames: ReadonlyMap<number, string> = new Map([
  [2, "tf"],
  [3, "i8"],
  [4, "dbl"],
  [6, "i16"],
  [8, "i32"],
  [10, "i64"],
  [11, "str"],
  [12, "rec"],
  [13, "map"],
  [14, "set"],
  [15, "lst"],
  [16, "uid"],
]);
const typesByName: ReadonlyMap<unknown, number> = new Map([...typeNames].map(([type, name]) => [name, type]));

/**
 * The JSON protocol. That of the package writes control characters as they are, reads 64-bit keys of maps as hexadecimal and
 * takes seconds for a text of some megabytes.
 */
export class JsonProtocol implements Protocol {
  readonly #Int64: ThriftPackage["Int64"];
  /** For writing: the parts of each open container. */
  readonly #parts: string[][] = [];
  /** How the parts of each container that is open become its text. */
  readonly #joins: ((parts: readonly string[]) => string)[] = [];
  /** For reading: the remaining values of each open container. */
  readonly #values: Iterator<unknown>[] = [];
  readonly #input: Uint8Array;
  /** The written text. */
  text = "";

  constructor({ Int64 }: Pick<ThriftPackage, "Int64">, input: Uint8Array = new Uint8Array()) {
    this.#Int64 = Int64;
    this.#input = input;
  }

  // writing

  writeMessageBegin(name: string, type: number, seqid: number): void {
    this.#open((parts) => `[${[1, JSON.stringify(name), type, seqid, ...parts].join(",")}]`);
  }

  writeStructBegin(): void {
    this.#open((parts) => `{${parts.join(",")}}`);
  }

  writeFieldBegin(_name: string, type: number, id: number): void {
    this.#open((parts) => `"${id}":{"${typeNames.get(type)}":${parts.join("")}}`);
  }

  writeMapBegin(keyType: number, valueType: number, size: number): void {
    this.#open((parts) => {
      const pairs = Array.from({ length: size }, (_, index) => `${keyText(parts[2 * index])}:${parts[2 * index + 1]}`);
      return `["${typeNames.get(keyType)}","${typeNames.get(valueType)}",${size},{${pairs.join(",")}}]`;
    });
  }

  writeListBegin(type: number, size: number): void {
    this.#open((parts) => `[${[`"${typeNames.get(type)}"`, size, ...parts].join(",")}]`);
  }

  writeSetBegin(type: number, size: number): void {
    this.writeListBegin(type, size);
  }

  writeMessageEnd = (): void => this.#close();
  writeStructEnd = (): void => this.#close();
  writeFieldEnd = (): void => this.#close();
  writeMapEnd = (): void => this.#close();
  writeListEnd = (): void => this.#close();
  writeSetEnd = (): void => this.#close();
  writeFieldStop(): void {}
  flush(): void {}

  writeBool = (value: boolean): void => this.#write(value ? "1" : "0");
  writeByte = (value: number): void => this.#write(String(value));
  writeI16 = (value: number): void => this.#write(String(value));
  writeI32 = (value: number): void => this.#write(String(value));
  writeI64 = (value: Int64): void => this.#write(String(bigintOf(value)));
  writeDouble = (value: number): void => this.#write(Number.isFinite(value) ? String(value) : `"${value}"`);
  writeString = (value: string): void => this.#write(JSON.stringify(value));
  writeBinary = (value: Uint8Array): void => this.#write(`"${toBase64(value)}"`);
  writeUuid = (value: string): void => this.#write(JSON.stringify(value));

  #open(join: (parts: readonly string[]) => string): void {
    this.#parts.push([]);
    this.#joins.push(join);
  }

  #close(): void {
    const parts = this.#parts.pop() ?? [];
    this.#write(this.#joins.pop()?.(parts) ?? "");
  }

  #write(text: string): void {
    const around = this.#parts.at(-1);
    if (around === undefined) this.text += text;
    else around.push(text);
  }

  // reading

  readMessageBegin(): { readonly fname: string; readonly mtype: number; readonly rseqid: number } {
    const message = parseMessage(wholeMessage(this.#input));
    if (!Array.isArray(message) || message[0] !== 1) throw answerDamaged("it is not a message of the JSON protocol");
    this.#values.push(message.slice(4).values());
    return { fname: String(message[1]), mtype: Number(message[2]), rseqid: Number(message[3]) };
  }

  readStructBegin(): void {
    const value = this.#next();
    if (!isFields(value)) throw answerDamaged("a struct is not an object");
    this.#values.push(Object.entries(value).values());
  }

  readFieldBegin(): { readonly ftype: number; readonly fid: number } {
    const next = this.#values.at(-1)?.next();
    if (next === undefined || next.done === true) return { ftype: 0, fid: 0 };
    const [id, field] = next.value as readonly [string, unknown];
    const [name, value] = isFields(field) ? (Object.entries(field)[0] ?? []) : [];
    const ftype = typesByName.get(name);
    if (ftype === undefined) throw answerDamaged(`field ${id} has the unknown type ${JSON.stringify(name)}`);
    this.#values.push([value].values());
    return { ftype, fid: Number(id) };
  }

  readMapBegin(): { readonly ktype: number; readonly vtype: number; readonly size: number } {
    const [key, value, size, pairs] = this.#list("a map");
    this.#values.push((isFields(pairs) ? Object.entries(pairs).flat() : []).values());
    return { ktype: typesByName.get(key) ?? 0, vtype: typesByName.get(value) ?? 0, size: Number(size) };
  }

  readListBegin(): { readonly etype: number; readonly size: number } {
    const [type, size, ...items] = this.#list("a list");
    this.#values.push(items.values());
    return { etype: typesByName.get(type) ?? 0, size: Number(size) };
  }

  readSetBegin(): { readonly etype: number; readonly size: number } {
    return this.readListBegin();
  }

  readMessageEnd(): void {}
  readStructEnd = (): void => void this.#values.pop();
  readFieldEnd = (): void => void this.#values.pop();
  readMapEnd = (): void => void this.#values.pop();
  readListEnd = (): void => void this.#values.pop();
  readSetEnd = (): void => void this.#values.pop();

  readBool = (): boolean => [1, true, "1", "true"].includes(this.#next() as number);
  readByte = (): number => this.#number();
  readI16 = (): number => this.#number();
  readI32 = (): number => this.#number();
  readDouble = (): number => this.#number();
  readString = (): string => this.#text();
  readUuid = (): string => this.#text();
  skip = (): void => void this.#next();

  readI64(): Int64 {
    const value = this.#next();
    const isWhole = typeof value === "bigint" || /^-?\d+$/.test(String(value));
    if (!isWhole) throw answerDamaged(`an integer is ${JSON.stringify(value)}`);
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64BE(BigInt.asIntN(64, BigInt(value as bigint | string | number)));
    return new this.#Int64(buffer);
  }

  readBinary(): Uint8Array {
    const bytes = fromBase64(this.#text());
    if (bytes === undefined) throw answerDamaged("binary is not base64");
    return bytes;
  }

  /** The next value of the container that is open. */
  #next(): unknown {
    const next = this.#values.at(-1)?.next();
    if (next === undefined || next.done === true) throw answerDamaged("a container has less than it says");
    return next.value;
  }

  #list(what: string): readonly unknown[] {
    const value = this.#next();
    if (!Array.isArray(value)) throw answerDamaged(`${what} is not an array`);
    return value;
  }

  /** Keys of maps are strings, and so are NaN and the infinities. */
  #number(): number {
    const value = this.#next();
    const number = Number(value);
    if (Number.isNaN(number) && value !== "NaN") throw answerDamaged(`a number is ${JSON.stringify(value)}`);
    return number;
  }

  #text(): string {
    const value = this.#next();
    if (typeof value !== "string") throw answerDamaged("a text is not a string");
    return value;
  }
}

export function bigintOf({ buffer, offset = 0 }: Int64): bigint {
  return new DataView(buffer.buffer, buffer.byteOffset + offset, 8).getBigInt64(0);
}

function keyText(key = '""'): string {
  if (key.startsWith("{") || key.startsWith("[")) throw answerDamaged("the JSON protocol has no keys with parts");
  return key.startsWith('"') ? key : `"${key}"`;
}

/** Servers that use the package write control characters as they are. */
function parseMessage(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    const escaped = text.replace(/"(?:\\[\s\S]|[^"\\])*"/g, (part) =>
      part.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1)),
    );
    return parseExactly(escaped);
  }
}

/** Thrown when more must come, by the name that it has in the package. */
class InputBufferUnderrunError extends Error {
  override readonly name = "InputBufferUnderrunError";
}

/** The text up to the bracket that closes the first. */
function wholeMessage(bytes: Uint8Array): string {
  if (bytes.length > 0 && bytes[0] !== 0x5b) throw answerDamaged("it does not begin with a bracket");
  let depth = 0;
  let isText = false;
  for (let position = 0; position < bytes.length; position++) {
    const byte = bytes[position];
    if (isText) {
      if (byte === 0x5c) position += 1;
      else if (byte === 0x22) isText = false;
    } else if (byte === 0x22) isText = true;
    else if (byte === 0x5b) depth += 1;
    else if (byte === 0x5d) {
      depth -= 1;
      if (depth === 0) return new TextDecoder().decode(bytes.subarray(0, position + 1));
    }
  }
  throw new InputBufferUnderrunError();
}
