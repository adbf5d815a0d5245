import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { messageOf } from "../../errors.js";
import { schemaInvalid, schemaUnsupported } from "../errors.js";
import type { CompiledSchema, LooseSchema } from "../schema-validator.js";
import type { StandardIssue } from "../standard-schema.js";
import { invalidKeyword, regExpOf } from "../validation/keyword-values.js";
import type { Compiler, JsonSchemaDraft } from "../validation/loosen-schema.js";
import { prepareSchema } from "../validation/prepare-schema.js";
import { distinctIssues, interpretSchema, isCodeForbidden, loadInterpreter } from "./interpret.js";
import { keysOfPointer } from "./schema-path.js";

/**
 * How many schemas one instance of ajv compiles. ajv never forgets a schema, so a full instance is replaced; it stays in memory as
 * long as one of its schemas is in use.
 */
const schemasPerInstance = 200;

/** Compiles schemas for one validator. */
export class SchemaCompilers {
  readonly #latest = new Map<JsonSchemaDraft, Instance>();
  readonly #interprets: boolean;

  /** `interprets` uses the interpreter, also where generating code is allowed. */
  constructor(interprets: boolean = isCodeForbidden()) {
    this.#interprets = interprets;
  }

  async compile(schema: object): Promise<CompiledSchema> {
    const draft = draftOf(schema);
    let instance = this.#latest.get(draft);
    if (instance === undefined || instance.isFull) {
      instance = new Instance(draft, this.#interprets);
      this.#latest.set(draft, instance);
    }
    return instance.compile(schema);
  }

  /** `strict` compiles the schema as it is. */
  async compileLoosely(schema: object, strict: () => Promise<CompiledSchema>): Promise<LooseSchema> {
    try {
      return { check: await strict(), unchecked: [] };
    } catch {
      const { loosenSchema } = await import("../validation/loosen-schema.js");
      return loosenSchema(schema, (draft) => compilerOf(draft, this.#interprets));
    }
  }
}

/** One instance of ajv and its compiled schemas, cached by text: schemas from a checkpoint are new objects each time. */
class Instance {
  readonly #draft: JsonSchemaDraft;
  readonly #compiled = new Map<string, Promise<CompiledSchema>>();
  readonly #interprets: boolean;
  #ajv: Promise<AnyAjv> | undefined = undefined;

  constructor(draft: JsonSchemaDraft, interprets: boolean) {
    this.#draft = draft;
    this.#interprets = interprets;
  }

  get isFull(): boolean {
    return this.#compiled.size >= schemasPerInstance;
  }

  compile(schema: object): Promise<CompiledSchema> {
    const text = JSON.stringify(schema);
    let compiled = this.#compiled.get(text);
    if (compiled === undefined) {
      compiled = this.#compile(text);
      this.#compiled.set(text, compiled);
    }
    return compiled;
  }

  async #compile(text: string): Promise<CompiledSchema> {
    // a copy, so that later changes of the user's object do not affect other schemas with the same text
    const schema: Record<string, unknown> = JSON.parse(text);
    const [misnamed] = prepareSchema(schema);
    const problem = misnamed ?? invalidKeyword(schema);
    if (problem !== undefined) throw notValid(`at "/${problem.path.join("/")}", ${problem.reason}`);
    if (this.#interprets) return interpretSchema(schema, this.#draft);
    this.#ajv ??= load(this.#draft);
    const ajv = await this.#ajv;
    let validate: ValidateFunction;
    try {
      validate = ajv.compile(schema);
    } catch (cause) {
      throw notValid(messageOf(cause), cause);
    }
    return checkBy(validate);
  }
}

const notValid = (why: string, cause?: unknown): Error =>
  schemaInvalid(`This is not a valid JSON Schema: ${why}. Correct it, or leave it out.`, cause);

type AnyAjv = Pick<Ajv, "compile" | "validateSchema" | "errors">;

function checkBy(validate: ValidateFunction): CompiledSchema {
  return (value) => (validate(value) ? undefined : distinctIssues((validate.errors ?? []).map(issueOf)));
}

/** A compiler for repeated attempts at a schema. */
async function compilerOf(draft: JsonSchemaDraft, interprets: boolean): Promise<Compiler> {
  if (interprets) {
    const interpret = await loadInterpreter();
    return { compile: (schema) => interpret(schema, draft), problemsIn: () => [] };
  }
  const ajv = await load(draft);
  return {
    compile: (schema) => checkBy(ajv.compile(schema)),
    problemsIn: (schema) => (ajv.validateSchema(schema) === true ? [] : (ajv.errors ?? [])),
  };
}

function draftOf(schema: object): JsonSchemaDraft {
  const dialect = "$schema" in schema ? schema.$schema : undefined;
  if (dialect === undefined) return "2020-12";
  if (typeof dialect === "string") {
    if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(dialect)) return "2020-12";
    if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(dialect)) return "07";
  }
  throw schemaUnsupported(
    `Plain JSON Schemas of draft 2020-12 and draft-07 are supported, but this one has the $schema ${JSON.stringify(dialect)}. ` +
      "Convert it, or give the runtime a schemaValidator that supports it.",
  );
}

const regExp = Object.assign((pattern: string, flags: string) => regExpOf(pattern, flags), { code: "new RegExp" });

/**
 * `ownProperties`: an absent "constructor" must not be taken for the one that every object inherits. `validateSchema`: the schema
 * of schemas takes 60 ms to compile, and `invalidKeyword` is asked before.
 */
const options: Options = {
  ...{ allErrors: true, strict: false, logger: false, ownProperties: true, validateSchema: false },
  code: { regExp },
};

async function load(draft: JsonSchemaDraft): Promise<AnyAjv> {
  const [ajv, formats] = await Promise.all([create(draft), import("ajv-formats")]);
  formats.default.default(ajv);
  return ajv;
}

/** Uses the default export, because bundlers that split code (esbuild) keep no other name of a dynamic import. */
async function create(draft: JsonSchemaDraft): Promise<Ajv> {
  const { default: exported } = await moduleOf(draft);
  return new exported.default(options);
}

function moduleOf(draft: JsonSchemaDraft) {
  if (draft === "07") return import("ajv");
  return draft === "2019-09" ? import("ajv/dist/2019.js") : import("ajv/dist/2020.js");
}

function issueOf({ instancePath, message = "does not fit", keyword, params }: ErrorObject): StandardIssue {
  return { message: `${message}${detail(keyword, params)}`, path: keysOfPointer(instancePath) };
}

/** Details that the messages of ajv leave out. */
function detail(keyword: string, params: Readonly<Record<string, unknown>>): string {
  switch (keyword) {
    case "additionalProperties":
      return `: ${JSON.stringify(params.additionalProperty)}`;
    case "unevaluatedProperties":
      return `: ${JSON.stringify(params.unevaluatedProperty)}`;
    case "enum":
      return `: ${JSON.stringify(params.allowedValues)}`;
    case "const":
      return `: ${JSON.stringify(params.allowedValue)}`;
    default:
      return "";
  }
}
