import type { FieldDefinition, MethodDefinition, ScalarKind, ServiceDefinition, ThriftType } from "../definition.js";
import { idlInvalid, typeInsideItself, unknownIdlName, wrongKindOfName } from "../errors.js";
import { constantValue } from "./constant-value.js";
import type {
  IdlDefinition,
  IdlDocument,
  IdlField,
  IdlService,
  IdlStruct,
  IdlTypeName,
  IdlValue,
} from "./idl-document.js";
import type { IdlPosition } from "./tokens.js";

/** One file with the files that it includes, by the names that they have in it. */
export interface LinkedDocument {
  readonly document: IdlDocument;
  readonly includes: ReadonlyMap<string, LinkedDocument>;
}

/** A definition, and where names in it are looked up. */
interface Found {
  readonly definition: IdlDefinition;
  readonly scope: LinkedDocument;
}

/** A service of a file with all that it names. Throws where a name means nothing. */
export function linkService(scope: LinkedDocument, service: IdlService): ServiceDefinition {
  const linker = new Linker();
  const methods: MethodDefinition[] = [];
  const seen = new Set<IdlService>();
  for (let next: Base | undefined = { service, scope }; next !== undefined; next = linker.baseOf(next)) {
    if (seen.has(next.service)) throw idlInvalid(next.service.at, `the service "${next.service.name}" extends itself.`);
    seen.add(next.service);
    for (const method of linker.methods(next)) {
      // what is inherited stays what it was: the compiler of Thrift refuses a second one
      if (!methods.some(({ name }) => name === method.name)) methods.push(method);
    }
  }
  linker.fillFallbacks();
  return { name: service.name, methods };
}

interface Base {
  readonly service: IdlService;
  readonly scope: LinkedDocument;
}

const scalars: ReadonlyMap<string, ScalarKind> = new Map([
  ...(["bool", "i8", "i16", "i32", "i64", "double", "string", "binary", "uuid"] as const).map(
    (kind) => [kind, kind] as const,
  ),
  ["byte", "i8"],
  // of old compilers
  ["slist", "string"],
]);

class Linker {
  /** Structs may contain themselves: each is made once, and filled later. */
  readonly #structs = new Map<IdlDefinition, ThriftType>();
  /** Defaults are read when all structs have their fields. */
  readonly #later: (() => void)[] = [];

  fillFallbacks(): void {
    for (const fill of this.#later) fill();
  }

  baseOf({ service, scope }: Base): Base | undefined {
    if (service.extends === undefined) return undefined;
    const { name, at } = service.extends;
    const { definition, scope: there } = this.#find(scope, name, at);
    if (definition.kind !== "service") throw wrongKindOfName(at, name, definition.kind, "a service");
    return { service: definition, scope: there };
  }

  methods({ service, scope }: Base): MethodDefinition[] {
    return service.methods.map((method) => ({
      name: method.name,
      description: method.description,
      isOneway: method.isOneway,
      parameters: this.#fields(scope, method.parameters, true),
      result: method.result && this.type(scope, method.result),
      exceptions: this.#fields(scope, method.exceptions, false).map((field, index) => {
        const { at = service.at } = method.exceptions[index] ?? {};
        if (field.type.kind !== "exception")
          throw idlInvalid(at, `"${field.name}" is thrown, but is not an exception.`);
        return field;
      }),
    }));
  }

  type(scope: LinkedDocument, { name, parts, at }: IdlTypeName, around: readonly IdlDefinition[] = []): ThriftType {
    const [first, second] = parts;
    if (first !== undefined) {
      const inner = this.type(scope, first, around);
      if (second !== undefined) return { kind: "map", key: inner, value: this.type(scope, second, around) };
      return { kind: name === "set" ? "set" : "list", of: inner };
    }
    const scalar = scalars.get(name);
    if (scalar !== undefined) return { kind: scalar };
    const found = this.#find(scope, name, at);
    const { definition } = found;
    if (around.includes(definition)) throw typeInsideItself(at, name);
    switch (definition.kind) {
      case "typedef":
        return this.type(found.scope, definition.type, [...around, definition]);
      case "enum": {
        const { name: enumName, description, members } = definition;
        return { kind: "enum", name: enumName, description, members };
      }
      case "struct":
      case "union":
      case "exception":
        return this.#struct(found.scope, definition);
      default:
        throw wrongKindOfName(at, name, definition.kind, "a type");
    }
  }

  #struct(scope: LinkedDocument, definition: IdlStruct): ThriftType {
    const known = this.#structs.get(definition);
    if (known !== undefined) return known;
    const { kind, name, description } = definition;
    const fields: FieldDefinition[] = [];
    const struct = { kind, name, description, fields };
    this.#structs.set(definition, struct);
    fields.push(...this.#fields(scope, definition.fields, false, kind === "union"));
    return struct;
  }

  /** Of parameters, all are there unless it is said otherwise; of a union, one. */
  #fields(scope: LinkedDocument, fields: readonly IdlField[], areParameters: boolean, isUnion = false) {
    return fields.map((field): FieldDefinition => {
      const { id, name, description, requiredness, value } = field;
      const type = this.type(scope, field.type);
      const hasFallback = value !== undefined && !isUnion;
      const isWanted = requiredness === "required" || (areParameters && requiredness === undefined);
      const isRequired = isWanted && !hasFallback && !isUnion;
      const made = { id, name, type, description, isRequired, fallback: undefined as unknown };
      if (hasFallback) this.#later.push(() => (made.fallback = this.#constant(scope, type, value)));
      return made;
    });
  }

  #constant(scope: LinkedDocument, type: ThriftType, value: IdlValue, around: readonly IdlDefinition[] = []): unknown {
    return constantValue(type, value, (part, name, at) => {
      if (part.kind === "enum") {
        const member = name.slice(name.lastIndexOf(".") + 1);
        if (part.members.has(member)) return member;
      }
      const { definition, scope: there } = this.#find(scope, name, at);
      if (definition.kind !== "const") throw wrongKindOfName(at, name, definition.kind, "a constant");
      if (around.includes(definition)) throw typeInsideItself(at, name);
      return this.#constant(there, part, definition.value, [...around, definition]);
    });
  }

  /** `Order` here, `shared.Order` in what is included as `shared`. */
  #find(scope: LinkedDocument, name: string, at: IdlPosition): Found {
    const here = scope.document.definitions.get(name);
    if (here !== undefined) return { definition: here, scope };
    const dot = name.lastIndexOf(".");
    const there = dot === -1 ? undefined : scope.includes.get(name.slice(0, dot));
    const definition = there?.document.definitions.get(name.slice(dot + 1));
    if (there !== undefined && definition !== undefined) return { definition, scope: there };
    const names = [...scope.document.definitions.keys()];
    throw unknownIdlName(at, name, there === undefined ? names : [...there.document.definitions.keys()], [
      ...scope.includes.keys(),
    ]);
  }
}
