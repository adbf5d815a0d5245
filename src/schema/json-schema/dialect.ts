import type { JsonSchema } from "../standard-schema.js";
import { findObjects, readablePath } from "./schema-path.js";

/**
 * Options for one schema library, with which dates become strings and no type silently becomes an empty schema. Created for each
 * conversion, because it collects the problems of that conversion.
 */
export interface Dialect {
  readonly libraryOptions: Record<string, unknown>;
  /** The types that could not be converted, such as `bigint at "items[].id"`. */
  readonly problemsIn: (converted: JsonSchema) => readonly string[];
}

export function dialectOf(vendor: string): Dialect | undefined {
  switch (vendor) {
    case "zod":
      return zodDialect();
    case "arktype":
      return arktypeDialect();
    case "valibot":
      return valibotDialect();
    default:
      return undefined;
  }
}

const dateTime = { type: "string", format: "date-time" } as const;

interface ZodContext {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string; readonly values?: unknown } } };
  readonly jsonSchema: Record<string, unknown>;
  readonly path: readonly (string | number)[];
}

/** Types that may become an empty schema, because they accept anything or only wrap another schema. */
const emptyZodTypes: readonly string[] = [
  ...["any", "unknown", "lazy", "pipe", "optional", "nonoptional", "nullable", "default", "prefault", "catch"],
  ...["readonly", "promise", "success"],
];

/** Zod throws at the first date or bigint, unless empty schemas are allowed; then it does not report them. */
function zodDialect(): Dialect {
  const problems = new Map<string, string>();
  const override = ({ zodSchema, jsonSchema, path }: ZodContext): void => {
    const { type, values } = zodSchema._zod.def;
    if (type === "date") Object.assign(jsonSchema, dateTime);
    const place = readablePath(path);
    const isLost = type === "literal" ? !areJson(values) : saysNothing(jsonSchema) && !emptyZodTypes.includes(type);
    if (isLost) problems.set(place, type);
    // a schema with metadata is visited after the same one without it, and the metadata may define the JSON type
    else if (problems.get(place) === type) problems.delete(place);
  };
  return {
    libraryOptions: { unrepresentable: "any", override },
    problemsIn: () => [...problems].map(([place, type]) => `${type}${place}`),
  };
}

function areJson(values: unknown): boolean {
  return !Array.isArray(values) || values.every((value) => value !== undefined && typeof value !== "bigint");
}

const annotations = ["title", "description", "default", "examples", "deprecated", "readOnly", "id", "$comment"];

function saysNothing(schema: object): boolean {
  return Object.keys(schema).every((keyword) => annotations.includes(keyword));
}

interface ArktypeContext {
  readonly code: string;
  readonly base: object;
  readonly domain?: string;
  readonly proto?: { readonly name: string };
  readonly unit?: unknown;
}

/** ArkType calls `fallback` for types that JSON lacks, with the schema so far, which may be empty. */
function arktypeDialect(): Dialect {
  const unknowns = new Map<object, string>();
  const fallback = ({ code, base, domain, proto, unit }: ArktypeContext): object => {
    if (code === "predicate" || !saysNothing(base)) return base;
    if (code === "unit" && unit === undefined) return { not: {} };
    const unknown = {};
    unknowns.set(unknown, domain ?? proto?.name ?? code);
    return unknown;
  };
  const problemsIn = (converted: JsonSchema): readonly string[] => {
    const paths = findObjects(converted, unknowns);
    return [...unknowns].map(([unknown, what]) => `${what}${readablePath(paths.get(unknown) ?? [])}`);
  };
  return { libraryOptions: { fallback: { default: fallback, date: () => dateTime } }, problemsIn };
}

interface ValibotContext {
  readonly valibotSchema: { readonly type: string };
}

/** Valibot's converter throws for types that JSON lacks, dates included. */
function valibotDialect(): Dialect {
  const overrideSchema = ({ valibotSchema }: ValibotContext): object | undefined =>
    valibotSchema.type === "date" ? { ...dateTime } : undefined;
  return { libraryOptions: { overrideSchema }, problemsIn: () => [] };
}
