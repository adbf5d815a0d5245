import type { CompiledSchema, LooseSchema, SchemaValidator } from "./schema-validator.js";

/** The compilers of one validator, with their state. */
interface Compilers {
  compile(schema: object): Promise<CompiledSchema>;
  compileLoosely(schema: object, strict: () => Promise<CompiledSchema>): Promise<LooseSchema>;
}

/**
 * The default validator. It checks plain JSON Schemas of draft 2020-12 and draft-07, with formats, by ajv; where `new Function` is
 * not allowed, by `@cfworker/json-schema`, with the same messages. Either library is loaded at the first schema, and each schema is
 * compiled once. References to other documents are never fetched.
 */
export class JsonSchemaValidator implements SchemaValidator {
  readonly #compiled = new WeakMap<object, Promise<CompiledSchema>>();
  readonly #loose = new WeakMap<object, Promise<LooseSchema>>();
  #compilers: Compilers | undefined = undefined;

  compile(schema: object): Promise<CompiledSchema> {
    let compiled = this.#compiled.get(schema);
    if (compiled === undefined) {
      compiled = this.#load().then((compilers) => compilers.compile(schema));
      this.#compiled.set(schema, compiled);
    }
    return compiled;
  }

  compileLoosely(schema: object): Promise<LooseSchema> {
    let loose = this.#loose.get(schema);
    if (loose === undefined) {
      loose = this.#load().then((compilers) => compilers.compileLoosely(schema, () => this.compile(schema)));
      this.#loose.set(schema, loose);
    }
    return loose;
  }

  async #load(): Promise<Compilers> {
    if (this.#compilers === undefined) {
      const { SchemaCompilers } = await import("./json-schema/compilers.js");
      this.#compilers ??= new SchemaCompilers();
    }
    return this.#compilers;
  }
}

/** The validator of all runtimes without one of their own. Its only state is compiled schemas. */
export const jsonSchemaValidator: SchemaValidator = new JsonSchemaValidator();
