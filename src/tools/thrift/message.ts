import type { ThriftProtocol } from "./connection.js";
import { ThriftValueDecoder } from "./decode-value.js";
import type { MethodDefinition } from "./definition.js";
import { ThriftValueEncoder } from "./encode-value.js";
import { answerDamaged, answerOfAnother, thriftException } from "./errors.js";
import { JsonProtocol } from "./json-protocol.js";
import type { Protocol, ThriftPackage } from "./load-thrift.js";

const messageTypes = { call: 1, reply: 2, exception: 3, oneway: 4 } as const;

/** The answer of a method. */
export type Reply =
  | { readonly isError: false; readonly value: unknown }
  | { readonly isError: true; readonly error: Error };

/** Writes the calls of one service and reads their answers, with the protocols of the official package. */
export class MessageCodec {
  readonly #thrift: ThriftPackage;
  readonly #protocol: ThriftProtocol;
  readonly #service: string;
  /** Before the names of methods, on a server with several services. */
  readonly #prefix: string;

  constructor(thrift: ThriftPackage, protocol: ThriftProtocol, service: string, prefix: string) {
    this.#thrift = thrift;
    this.#protocol = protocol;
    this.#service = service;
    this.#prefix = prefix;
  }

  write(method: MethodDefinition, input: Readonly<Record<string, unknown>>, seqid: number): Uint8Array {
    const { name, isOneway, parameters } = method;
    const { protocol, bytes } = this.#writer();
    protocol.writeMessageBegin(this.#prefix + name, isOneway ? messageTypes.oneway : messageTypes.call, seqid);
    new ThriftValueEncoder(protocol, this.#thrift).writeFields(`${name}_args`, parameters, input, "");
    protocol.writeMessageEnd();
    protocol.flush();
    return bytes();
  }

  /** The answer in these bytes; `undefined` when more must come. Throws if they are not an answer to this call. */
  read(method: MethodDefinition, bytes: Uint8Array, seqid: number): Reply | undefined {
    const protocol = this.#reader(bytes);
    try {
      return this.#read(protocol, method, seqid);
    } catch (error) {
      if (isUnderrun(error)) return undefined;
      throw error;
    }
  }

  #writer(): { readonly protocol: Protocol; readonly bytes: () => Uint8Array } {
    const thrift = this.#thrift;
    if (this.#protocol === "json") {
      const protocol = new JsonProtocol(thrift);
      return { protocol, bytes: () => Buffer.from(protocol.text) };
    }
    const chunks: Uint8Array[] = [];
    const transport = new thrift.TBufferedTransport(undefined, (bytes) => chunks.push(bytes));
    return { protocol: this.#open(transport), bytes: () => Buffer.concat(chunks) };
  }

  #reader(bytes: Uint8Array): Protocol {
    if (this.#protocol === "json") return new JsonProtocol(this.#thrift, bytes);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#open(new this.#thrift.TFramedTransport(view));
  }

  #open(transport: object): Protocol {
    const { TBinaryProtocol, TCompactProtocol } = this.#thrift;
    return this.#protocol === "compact" ? new TCompactProtocol(transport) : new TBinaryProtocol(transport);
  }

  #read(protocol: Protocol, { name, result, exceptions }: MethodDefinition, seqid: number): Reply {
    const { fname, mtype, rseqid } = protocol.readMessageBegin();
    const answered = String(fname);
    if (answered !== name && answered !== this.#prefix + name) throw answerOfAnother(`"${answered}"`, `"${name}"`);
    if (rseqid !== seqid) throw answerOfAnother(`the call ${rseqid}`, `the call ${seqid}`);
    const decoder = new ThriftValueDecoder(protocol);
    const method = `${this.#service}.${name}`;
    if (mtype === messageTypes.exception) {
      const { message = "", type } = decoder.readFields(applicationException);
      const status = statuses[Number(type)] ?? String(type ?? "UNKNOWN");
      return { isError: true, error: thriftException({ method, exception, status, fields: { message } }) };
    }
    if (mtype !== messageTypes.reply) throw answerDamaged(`its message type is ${mtype}`);
    const success = result === undefined ? [] : [{ ...ownField, id: 0, name: successName, type: result }];
    const fields = decoder.readFields([...success, ...exceptions]);
    protocol.readMessageEnd();
    const thrown = exceptions.find((field) => Object.hasOwn(fields, field.name));
    if (thrown !== undefined) {
      const { type } = thrown;
      const details = { method, exception: "name" in type ? type.name : thrown.name };
      return { isError: true, error: thriftException({ ...details, fields: fields[thrown.name] as object as Fields }) };
    }
    if (result === undefined) return { isError: false, value: undefined };
    if (Object.hasOwn(fields, successName)) return { isError: false, value: fields[successName] };
    const missing = { exception, status: "MISSING_RESULT", fields: { message: "the answer has no result" } };
    return { isError: true, error: thriftException({ method, ...missing }) };
  }
}

type Fields = Readonly<Record<string, unknown>>;

const exception = "TApplicationException";
/** A name that no field of IDL can have. */
const successName = "(result)";
const ownField = { isRequired: false, description: undefined, fallback: undefined };
const applicationException = [
  { ...ownField, id: 1, name: "message", type: { kind: "string" } },
  { ...ownField, id: 2, name: "type", type: { kind: "i32" } },
] as const;

const statuses: readonly string[] = [
  ...["UNKNOWN", "UNKNOWN_METHOD", "INVALID_MESSAGE_TYPE", "WRONG_METHOD_NAME", "BAD_SEQUENCE_ID", "MISSING_RESULT"],
  ...["INTERNAL_ERROR", "PROTOCOL_ERROR", "INVALID_TRANSFORM", "INVALID_PROTOCOL", "UNSUPPORTED_CLIENT_TYPE"],
];

/** The error that the package throws when bytes end before a value does. */
function isUnderrun(error: unknown): boolean {
  return error instanceof Error && error.name === "InputBufferUnderrunError";
}
