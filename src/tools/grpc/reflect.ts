import { isFields } from "../../is.js";
import { reflectionFailed, reflectionOff, reflectionRefused } from "./errors.js";
import type { Connection, Exchange, Metadata } from "./grpc-js.js";
import type { Protobuf, Type } from "./protobuf.js";

/** How a server is asked. */
export interface Reflecting {
  readonly kit: Protobuf;
  readonly connection: Connection;
  /** The server's name in errors. */
  readonly server: string;
  readonly metadata: Metadata;
  readonly timeoutMs: number;
  /** Which services are wanted, of all that there are. */
  readonly isWanted: (service: string) => boolean;
}

/** A server's own description of its services. */
export interface Reflected {
  /** The bytes of a `FileDescriptorSet`. */
  readonly descriptors: Uint8Array;
  /** All of its services, also those that are not wanted. */
  readonly services: readonly string[];
}

/** Asks a server for the descriptors of its services, by version 1 of the protocol, else by its forerunner. */
export async function reflect(reflecting: Reflecting): Promise<Reflected> {
  const { server, timeoutMs } = reflecting;
  const deadline = Date.now() + timeoutMs;
  for (const version of ["v1", "v1alpha"]) {
    const conversation = new Conversation(reflecting, version, deadline);
    try {
      return await conversation.ask();
    } catch (error) {
      if (!isFields(error) || error.code !== unimplemented) throw reflectionFailed(server, error);
    } finally {
      conversation.end();
    }
  }
  throw reflectionOff(server);
}

const unimplemented = 12;

/** One call of the reflection service: questions are answered one by one. */
class Conversation {
  readonly #reflecting: Reflecting;
  readonly #request: Type;
  readonly #call: Exchange;
  #waiting: ((answer: Answer) => void) | undefined = undefined;
  #failure: Error | undefined = undefined;
  readonly #files = new Map<string, Uint8Array>();

  constructor(reflecting: Reflecting, version: string, deadline: number) {
    this.#reflecting = reflecting;
    const { protobuf } = reflecting.kit;
    const root = protobuf.Root.fromJSON({ nested: messages });
    this.#request = root.lookupType("Request");
    const response = root.lookupType("Response");
    this.#call = reflecting.connection.makeBidiStreamRequest<Uint8Array, object>(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (bytes) => Buffer.from(bytes),
      (bytes) => response.decode(bytes),
      reflecting.metadata,
      { deadline },
    );
    this.#call.on("data", (answer: object) => this.#answer({ answer }));
    this.#call.on("error", (error: Error) => this.#fail(error));
    this.#call.on("end", () => this.#fail(new Error("it ended the conversation.")));
  }

  async ask(): Promise<Reflected> {
    const listed = await this.#question({ list_services: "*" }, "its services");
    const services = listOf(fieldsOf(listed.list_services_response).service).map(({ name }) => String(name));
    for (const service of services.filter(this.#reflecting.isWanted)) {
      await this.#take({ file_containing_symbol: service }, `the service ${service}`);
    }
    return { descriptors: this.#descriptorSet(), services };
  }

  end(): void {
    this.#call.cancel();
  }

  /** Takes the files of an answer, and then those that they import and that did not come with them. */
  async #take(question: object, what: string): Promise<void> {
    const { file_descriptor_response: answer } = await this.#question(question, what);
    const missing = new Set<string>();
    for (const bytes of listOf<Uint8Array>(fieldsOf(answer).file_descriptor_proto)) {
      const { name, dependency } = this.#fileOf(bytes);
      this.#files.set(String(name), bytes);
      for (const other of listOf<string>(dependency)) missing.add(other);
    }
    for (const name of missing) {
      if (this.#files.has(name) || this.#isBundled(name)) continue;
      await this.#take({ file_by_filename: name }, `the file ${name}`);
    }
  }

  #fileOf(bytes: Uint8Array): Fields {
    return this.#reflecting.kit.descriptors.FileDescriptorProto.decode(bytes) as Fields;
  }

  #isBundled(name: string): boolean {
    return this.#reflecting.kit.protobuf.common.get(name) !== null;
  }

  #descriptorSet(): Uint8Array {
    const { FileDescriptorSet } = this.#reflecting.kit.descriptors;
    const file = [...this.#files.values()].map((bytes) => this.#fileOf(bytes));
    return FileDescriptorSet.encode({ file }).finish();
  }

  async #question(question: object, what: string): Promise<Fields> {
    const answer = await new Promise<Fields>((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting = (given) => ("error" in given ? reject(given.error) : resolve(given.answer as Fields));
      this.#call.write(this.#request.encode(question).finish());
    });
    if (answer.error_response !== undefined && answer.error_response !== null) {
      const { error_code, error_message } = fieldsOf(answer.error_response);
      throw reflectionRefused(what, Number(error_code ?? 2), String(error_message ?? ""));
    }
    return answer;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#answer({ error });
  }

  #answer(answer: Answer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(answer);
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Answer = { readonly answer: object } | { readonly error: Error };

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

function listOf<Item = Fields>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

const field = (id: number, type: string, rule?: string) => ({ id, type, ...(rule !== undefined && { rule }) });

/** The part of `grpc/reflection/v1/reflection.proto` that is needed; that of `v1alpha` has the same numbers. */
const messages = {
  Request: {
    fields: {
      file_by_filename: field(3, "string"),
      file_containing_symbol: field(4, "string"),
      list_services: field(7, "string"),
    },
  },
  Response: {
    fields: {
      file_descriptor_response: field(4, "Files"),
      list_services_response: field(6, "Services"),
      error_response: field(7, "Refusal"),
    },
  },
  Files: { fields: { file_descriptor_proto: field(1, "bytes", "repeated") } },
  Services: { fields: { service: field(1, "ServiceName", "repeated") } },
  ServiceName: { fields: { name: field(1, "string") } },
  Refusal: { fields: { error_code: field(1, "int32"), error_message: field(2, "string") } },
};
