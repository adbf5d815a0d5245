import { messageOf } from "../../../errors.js";
import { isObject } from "../../../is.js";
import type { FieldDefinition, MethodDefinition, ServiceDefinition, StructType, ThriftType } from "../definition.js";
import { generatedUnreadable, methodsUnusable, notAService } from "../errors.js";
import type { ThriftPackage } from "../load-thrift.js";
import type { ThriftMethod } from "../options.js";
import { findFields, ProbeInput, type ReadStep, readField } from "./probe-input.js";

type Include = (method: ThriftMethod) => boolean;

/** The service of a module that the official compiler generated for Node.js, in any of its flavours. */
export function readGenerated(module: unknown, thrift: ThriftPackage, isIncluded: Include): ServiceDefinition {
  const { client, processor } = prototypesOf(module);
  const names = namesAfter("send_", client).filter((name) => `process_${name}` in processor);
  if (names.length === 0) throw notAService(module);
  const reader = new GeneratedReader(thrift, client, processor);
  const service = reader.serviceName(names);
  const methods: MethodDefinition[] = [];
  const problems: string[] = [];
  const causes: unknown[] = [];
  for (const name of names) {
    try {
      methods.push(reader.method(name));
    } catch (error) {
      if (!isIncluded({ service, method: name, oneway: false, exceptions: [] })) continue;
      problems.push(`${service}.${name}: ${messageOf(error)}`);
      causes.push(error);
    }
  }
  if (problems.length > 0) throw methodsUnusable(problems, causes[0]);
  return { name: service, methods };
}

function prototypesOf(module: unknown): { readonly client: object; readonly processor: object } {
  const all = isObject(module) ? module : {};
  const inner: unknown = Reflect.get(all, "default");
  for (const each of [all, isObject(inner) ? inner : {}]) {
    const client: unknown = Reflect.get(each, "Client");
    const processor: unknown = Reflect.get(each, "Processor");
    if (typeof client === "function" && typeof processor === "function")
      return { client: client.prototype, processor: processor.prototype };
  }
  throw notAService(module);
}

/** Names of functions, those of the service before those that it inherits. */
function namesAfter(prefix: string, prototype: object): string[] {
  const names = new Set<string>();
  for (let each: unknown = prototype; isObject(each) && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const name of Object.getOwnPropertyNames(each))
      if (name.startsWith(prefix)) names.add(name.slice(prefix.length));
  }
  return [...names];
}

type AnyFunction = (this: unknown, ...values: unknown[]) => unknown;

class GeneratedReader {
  readonly #thrift: ThriftPackage;
  readonly #client: object;
  readonly #processor: object;
  /** Structs may contain themselves: each is made once, and filled later. */
  readonly #structs = new Map<object, StructType>();

  constructor(thrift: ThriftPackage, client: object, processor: object) {
    this.#thrift = thrift;
    this.#client = client;
    this.#processor = processor;
  }

  /** From the name of what a method sends: `Shop_place_args`. Those that are inherited have the name of their own service. */
  serviceName(names: readonly string[]): string {
    const [first = ""] = names;
    const { structName = "" } = this.#send(first, []);
    return structName.replace(new RegExp(`_${first}_(p?)args$`), "");
  }

  method(name: string): MethodDefinition {
    const { messageType } = this.#send(name, []);
    const isOneway = messageType === 4;
    const parameters = this.#parameters(name);
    const answer = isOneway ? { result: undefined, exceptions: [] } : this.#answer(name);
    return { name, description: undefined, isOneway, parameters, ...answer };
  }

  // what is sent

  #parameters(name: string): FieldDefinition[] {
    const read = (input: ProbeInput): readonly unknown[] => this.#received(name, input);
    // read nothing: the handler still gets as many values as there are parameters
    const count = read(new ProbeInput(this.#thrift, () => ({ fid: 0, ftype: 0 }))).length;
    return findFields(this.#thrift, read, count).map((header) => {
      const { fid: id } = header;
      let values: readonly unknown[] = [];
      const steps = readField(this.#thrift, header, (input) => {
        values = read(input);
      });
      const index = values.findIndex((value) => value !== null && value !== undefined);
      const type = this.#type(steps, values[index]);
      return { ...plainField, id, name: this.#parameterName(name, id, index, type), type, isRequired: true };
    });
  }

  /** The arguments that a handler would get. */
  #received(name: string, input: ProbeInput): readonly unknown[] {
    let received: readonly unknown[] = [];
    const handler = (...values: unknown[]): void => {
      received = values.filter((value) => typeof value !== "function");
    };
    // a handler with as many parameters as the method is asked for a promise
    Object.defineProperty(handler, "length", { value: -1 });
    this.#call(this.#processor, `process_${name}`, { _handler: { [name]: handler } }, [0, input, {}]);
    return received;
  }

  #parameterName(method: string, id: number, index: number, type: ThriftType): string {
    const values: unknown[] = [];
    values[index] = standIn(type);
    const name = this.#send(method, values).fields.find((field) => field.id === id)?.name;
    if (name === undefined) throw generatedUnreadable(`the name of parameter ${id}`);
    return name;
  }

  #send(name: string, values: readonly unknown[]) {
    return recordOutput((output) => {
      const pClass = function pClass() {
        return output;
      };
      const own = { output: { flush: () => undefined }, pClass, _seqid: 0, _reqs: {} };
      this.#call(this.#client, `send_${name}`, own, values);
    });
  }

  // what is answered

  #answer(name: string): Pick<MethodDefinition, "result" | "exceptions"> {
    const read = (input: ProbeInput): readonly unknown[] => this.#answered(name, input);
    let result: ThriftType | undefined;
    const exceptions: FieldDefinition[] = [];
    for (const header of findFields(this.#thrift, read)) {
      const { fid: id } = header;
      let answered: readonly unknown[] = [];
      const steps = readField(this.#thrift, header, (input) => {
        answered = read(input);
      });
      const [error, value] = answered;
      if (id === 0) result = this.#type(steps, value);
      else {
        const type = this.#type(steps, error);
        const exceptionName = "name" in type ? type.name : String(id);
        exceptions.push({ ...plainField, id, name: exceptionName, type, isRequired: false });
      }
    }
    return { result, exceptions };
  }

  /** The result that a caller would get. */
  #answered(name: string, input: ProbeInput): readonly unknown[] {
    let answered: readonly unknown[] = [];
    const callback = (...values: unknown[]): void => {
      answered = values;
    };
    this.#call(this.#client, `recv_${name}`, { _reqs: { 0: callback } }, [input, 2, 0]);
    return answered;
  }

  // types

  #type(steps: readonly ReadStep[], value: unknown): ThriftType {
    const rest = [...steps];
    return this.#next(rest, value);
  }

  #next(steps: ReadStep[], value: unknown): ThriftType {
    const step = steps.shift();
    if (step === undefined) throw generatedUnreadable("a type");
    switch (step.kind) {
      case "list":
      case "set":
        return { kind: step.kind, of: this.#next(steps, firstOf(value)) };
      case "map": {
        // keys have become strings
        const key = this.#next(steps, value instanceof Map ? [...value.keys()][0] : undefined);
        return { kind: "map", key, value: this.#next(steps, firstOf(value)) };
      }
      case "struct":
        return this.#struct(value);
      default:
        return { kind: step.kind };
    }
  }

  #struct(instance: unknown): StructType {
    if (!isObject(instance)) throw generatedUnreadable("a map with structs as keys");
    const prototype: object = Object.getPrototypeOf(instance);
    const known = this.#structs.get(prototype);
    if (known !== undefined) return known;
    const written = recordOutput((output) => this.#call(prototype, "write", {}, [output]));
    const fields: FieldDefinition[] = [];
    const struct: StructType = { kind: "struct", name: written.structName ?? "struct", description: undefined, fields };
    this.#structs.set(prototype, struct);
    const read = (input: ProbeInput): object => this.#call(prototype, "read", {}, [input]);
    // the constructor has set all of them
    for (const header of findFields(this.#thrift, read, Object.keys(instance).length)) {
      const { fid: id } = header;
      let made: object = {};
      const steps = readField(this.#thrift, header, (input) => {
        made = read(input);
      });
      const [name] = Object.keys(made);
      if (name === undefined) throw generatedUnreadable(`the name of field ${id} of ${struct.name}`);
      const type = this.#type(steps, Reflect.get(made, name));
      fields.push({
        ...plainField,
        id,
        name,
        type,
        isRequired: false,
        fallback: fallbackOf(Reflect.get(instance, name)),
      });
    }
    return struct;
  }

  /** Calls a function of a class on an object of that class which no constructor has seen; returns that object. */
  #call(prototype: object, name: string, own: object, values: readonly unknown[]): object {
    const instance: object = Object.assign(Object.create(prototype), own);
    // of structs, newer compilers call them by symbols, so that fields can have these names
    const found: unknown = Reflect.get(instance, Symbol.for(name)) ?? Reflect.get(instance, name);
    if (typeof found !== "function") throw generatedUnreadable(name);
    (found as AnyFunction).apply(instance, [...values]);
    return instance;
  }
}

const plainField = { description: undefined, fallback: undefined };

function firstOf(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const values = value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
  return values[0];
}

/** A value that is copied and written as far as its own field. All that is in a struct is false, so that nothing is copied. */
function standIn({ kind }: ThriftType): unknown {
  if (kind === "list" || kind === "set") return [];
  if (kind === "map") return {};
  return kind === "struct" ? new Proxy({}, { get: () => 0 }) : "1";
}

/** The fields that a constructor sets. Lists and structs are left to the server. */
function fallbackOf(value: unknown): unknown {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

interface Field {
  readonly name: string;
  readonly id: number;
}

/** The calls that generated code made to write one message. */
interface Recorded {
  /** Of the message: 1 for a call, 4 for a oneway one. */
  readonly messageType: number | undefined;
  readonly structName: string | undefined;
  /** Of the outermost struct. */
  readonly fields: readonly Field[];
}

/** Stands for a protocol that generated code writes to, and notes names. That code may fail where it meets a stand-in. */
function recordOutput(write: (output: object) => void): Recorded {
  const fields: Field[] = [];
  let messageType: number | undefined;
  let structName: string | undefined;
  let depth = 0;
  const notes = {
    writeMessageBegin: (_name: string, type: number) => {
      messageType = type;
    },
    writeStructBegin: (name: string) => {
      structName ??= name;
      depth += 1;
    },
    writeStructEnd: () => {
      depth -= 1;
    },
    writeFieldBegin: (name: string, _type: number, id: number) => {
      if (depth === 1) fields.push({ name, id });
    },
  };
  const output = new Proxy(notes, {
    get: (target, name) => Reflect.get(target, name) ?? (() => undefined),
  });
  try {
    write(output);
  } catch {
    // what was written before says enough
  }
  return { messageType, structName, fields };
}
