import { duplicateName, idlInvalid, unexpectedToken } from "../errors.js";
import type {
  IdlDefinition,
  IdlDocument,
  IdlField,
  IdlInclude,
  IdlMethod,
  IdlTypeName,
  IdlValue,
} from "./idl-document.js";
import { readTokens, type Token } from "./tokens.js";

/** Reads the text of one file. Errors name its line and column. */
export function parseIdl(text: string, file: string): IdlDocument {
  return new IdlParser(readTokens(text, file)).parse(file);
}

const containers: Readonly<Record<string, number>> = { list: 1, set: 1, map: 2 };
const greatestId = 32_767;

class IdlParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(file: string): IdlDocument {
    const includes: IdlInclude[] = [];
    const definitions = new Map<string, IdlDefinition>();
    while (this.#peek().kind !== "end") {
      if (this.#skipHeader(includes)) continue;
      const definition = this.#definition();
      const former = definitions.get(definition.name);
      if (former !== undefined) throw duplicateName(definition.at, definition.name, former.at);
      definitions.set(definition.name, definition);
      this.#annotations();
      this.#skipSeparator();
    }
    return { file, includes, definitions };
  }

  // headers

  /** The headers before definitions. Of these, only included files matter for messages. */
  #skipHeader(includes: IdlInclude[]): boolean {
    const at = this.#peek();
    if (at.kind !== "word") return false;
    if (at.text === "include") {
      this.#next();
      includes.push({ path: this.#text(), at });
    } else if (at.text === "cpp_include" || at.text === "hs_include") {
      this.#next();
      this.#text();
    } else if (/^(\w+_)?namespace$/.test(at.text)) {
      this.#next();
      if (at.text === "namespace" && !this.#take("*")) this.#word("a language");
      if (this.#peek().kind === "text") this.#next();
      else this.#word("a namespace");
      this.#annotations();
    } else return false;
    this.#skipSeparator();
    return true;
  }

  // definitions

  #definition(): IdlDefinition {
    const start = this.#next();
    const description = start.doc;
    switch (start.kind === "word" ? start.text : "") {
      case "typedef": {
        const type = this.#type();
        return { kind: "typedef", ...this.#name(), description, type };
      }
      case "const": {
        const type = this.#type();
        const named = this.#name();
        this.#expect("=");
        return { kind: "const", ...named, description, type, value: this.#value() };
      }
      case "enum":
        return { kind: "enum", ...this.#name(), description, members: this.#enumMembers() };
      case "senum": {
        // texts, of which only some are meant
        const named = this.#name();
        const at = this.#expect("{");
        while (!this.#take("}")) {
          this.#text();
          this.#skipSeparator();
        }
        return { kind: "typedef", ...named, description, type: { name: "string", parts: [], at } };
      }
      case "struct":
      case "union":
      case "exception": {
        const named = this.#name();
        if (this.#peek().text === "xsd_all") this.#next();
        this.#expect("{");
        const kind = start.text as "struct" | "union" | "exception";
        return { kind, ...named, description, fields: this.#fields("}") };
      }
      case "service":
        return { kind: "service", ...this.#name(), description, ...this.#serviceBody() };
      default:
        throw unexpectedToken(start, "a definition (struct, union, exception, enum, typedef, const or service)");
    }
  }

  #enumMembers(): ReadonlyMap<string, number> {
    const members = new Map<string, number>();
    let next = 0;
    this.#expect("{");
    while (!this.#take("}")) {
      const { name, at } = this.#name();
      if (members.has(name)) throw duplicateName(at, name);
      if (this.#take("=")) {
        const token = this.#next();
        if (token.kind !== "integer") throw unexpectedToken(token, "a whole number");
        next = Number(integerOf(token.text));
        if (next !== (next | 0)) throw idlInvalid(token, `${token.text} does not fit in the 32 bits of an enum.`);
      }
      members.set(name, next);
      next += 1;
      this.#annotations();
      this.#skipSeparator();
    }
    return members;
  }

  #serviceBody() {
    const token = this.#peek();
    let base: { name: string; at: Token } | undefined;
    if (token.kind === "word" && token.text === "extends") {
      this.#next();
      base = this.#name("the name of a service");
    }
    this.#expect("{");
    const methods: IdlMethod[] = [];
    while (!this.#take("}")) {
      const method = this.#method();
      const former = methods.find(({ name }) => name === method.name);
      if (former !== undefined) throw duplicateName(method.at, method.name, former.at);
      methods.push(method);
    }
    return { extends: base, methods };
  }

  #method(): IdlMethod {
    const first = this.#peek();
    const isOneway = first.kind === "word" && (first.text === "oneway" || first.text === "async");
    if (isOneway) this.#next();
    const isVoid = this.#peek().kind === "word" && this.#peek().text === "void";
    if (isVoid) this.#next();
    const result = isVoid ? undefined : this.#type();
    const named = this.#name("the name of a method");
    this.#expect("(");
    const parameters = this.#fields(")");
    const isThrowing = this.#peek().kind === "word" && this.#peek().text === "throws";
    if (isThrowing) {
      this.#next();
      this.#expect("(");
    }
    const exceptions = isThrowing ? this.#fields(")") : [];
    if (isOneway && (!isVoid || isThrowing)) {
      throw idlInvalid(
        named.at,
        `the oneway method "${named.name}" has no answer, and so no result and no exceptions.`,
      );
    }
    this.#annotations();
    this.#skipSeparator();
    return { ...named, description: first.doc, isOneway, result, parameters, exceptions };
  }

  #fields(end: string): readonly IdlField[] {
    const fields: IdlField[] = [];
    /** Fields without an id count down. */
    let implicit = -1;
    while (!this.#take(end)) {
      const field = this.#field(implicit);
      if (field.id === implicit) implicit -= 1;
      const former = fields.find(({ id, name }) => id === field.id || name === field.name);
      if (former?.name === field.name) throw duplicateName(field.at, field.name, former.at);
      if (former !== undefined) {
        throw idlInvalid(field.at, `"${field.name}" has the id ${field.id}, which is that of "${former.name}".`);
      }
      fields.push(field);
    }
    return fields;
  }

  #field(implicit: number): IdlField {
    const first = this.#peek();
    let id = implicit;
    if (first.kind === "integer") {
      this.#next();
      id = Number(integerOf(first.text));
      if (id < 1 || id > greatestId)
        throw idlInvalid(first, `the id of a field must be 1 to 32767, not ${first.text}.`);
      this.#expect(":");
    }
    const doc = first.doc ?? this.#peek().doc;
    const requiredness = this.#requiredness();
    const type = this.#type();
    this.#take("&");
    const named = this.#name("the name of a field");
    const value = this.#take("=") ? this.#value() : undefined;
    this.#skipXsd();
    this.#annotations();
    this.#skipSeparator();
    return { ...named, id, description: doc, requiredness, type, value };
  }

  #requiredness(): IdlField["requiredness"] {
    const { kind, text } = this.#peek();
    if (kind !== "word" || (text !== "required" && text !== "optional")) return undefined;
    this.#next();
    return text;
  }

  #skipXsd(): void {
    for (let token = this.#peek(); token.kind === "word" && token.text.startsWith("xsd_"); token = this.#peek()) {
      this.#next();
      if (token.text !== "xsd_attrs") continue;
      this.#expect("{");
      this.#fields("}");
    }
  }

  // types and values

  #type(): IdlTypeName {
    const at = this.#word("a type");
    const count = containers[at.text];
    if (count === undefined) {
      this.#annotations();
      return { name: at.text, parts: [], at };
    }
    this.#skipCppType();
    this.#expect("<");
    const parts = [this.#type()];
    if (count === 2) {
      this.#expect(",");
      parts.push(this.#type());
    }
    this.#expect(">");
    this.#skipCppType();
    this.#annotations();
    return { name: at.text, parts, at };
  }

  #skipCppType(): void {
    const { kind, text } = this.#peek();
    if (kind !== "word" || text !== "cpp_type") return;
    this.#next();
    this.#text();
  }

  #value(): IdlValue {
    const at = this.#next();
    switch (at.kind) {
      case "integer":
        return { kind: "integer", value: integerOf(at.text), at };
      case "double":
        return { kind: "double", value: Number(at.text), at };
      case "text":
        return { kind: "text", value: at.text, at };
      case "word":
        return { kind: "name", value: at.text, at };
      default:
        if (at.text === "[") return { kind: "list", value: this.#values("]"), at };
        if (at.text === "{") return { kind: "map", value: this.#pairs(), at };
        throw unexpectedToken(at, "a value");
    }
  }

  #values(end: string): readonly IdlValue[] {
    const values: IdlValue[] = [];
    while (!this.#take(end)) {
      values.push(this.#value());
      this.#skipSeparator();
    }
    return values;
  }

  #pairs(): readonly (readonly [IdlValue, IdlValue])[] {
    const pairs: (readonly [IdlValue, IdlValue])[] = [];
    while (!this.#take("}")) {
      const key = this.#value();
      this.#expect(":");
      pairs.push([key, this.#value()]);
      this.#skipSeparator();
    }
    return pairs;
  }

  /** `(key = "value", other)`: for generators of code. */
  #annotations(): void {
    if (!this.#take("(")) return;
    while (!this.#take(")")) {
      this.#word("the name of an annotation");
      if (this.#take("=")) this.#text();
      this.#skipSeparator();
    }
  }

  // tokens

  #peek(): Token {
    return this.#tokens[this.#position] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#position += 1;
    return token;
  }

  #take(symbol: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== "symbol" || text !== symbol) return false;
    this.#position += 1;
    return true;
  }

  #expect(symbol: string): Token {
    const token = this.#peek();
    if (!this.#take(symbol)) throw unexpectedToken(token, `"${symbol}"`);
    return token;
  }

  #word(what: string): Token {
    const token = this.#next();
    if (token.kind !== "word") throw unexpectedToken(token, what);
    return token;
  }

  #name(what = "a name"): { readonly name: string; readonly at: Token } {
    const at = this.#word(what);
    return { name: at.text, at };
  }

  #text(): string {
    const token = this.#next();
    if (token.kind !== "text") throw unexpectedToken(token, "a text in quotes");
    return token.text;
  }

  #skipSeparator(): void {
    if (!this.#take(",")) this.#take(";");
  }
}

function integerOf(text: string): bigint {
  const digits = text.replace(/^[+-]/, "");
  return text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
}
