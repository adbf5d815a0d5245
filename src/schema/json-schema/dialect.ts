import type { JsonSchema } from "../standard-schema.js";
import { findObjects, readablePath } from "./schema-path.js";

/**
 * What one library must be told so that dates become strings and nothing becomes an empty schema unnoticed. Made anew
 * for each conversion, because it collects what the conversion meets.
 */
export interface Dialect {
  readonly libraryOptions: Record<string, unknown>;
  /** What the converted schema could not express, as `bigint at "items[].id"`. */
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

/** Types that may become an empty schema, because they accept anything or say what another schema says. */
const emptyZodTypes: readonly string[] = [
  ...["any", "unknown", "lazy", "pipe", "optional", "nonoptional", "nullable", "default", "prefault", "catch"],
  ...["readonly", "promise", "success"],
];

/** Zod throws at the first date or bigint unless it may write empty schemas; then it says nothing. */
function zodDialect(): Dialect {
  const problems = new Map<string, string>();
  const override = ({ zodSchema, jsonSchema, path }: ZodContext): void => {
    const { type, values } = zodSchema._zod.def;
    if (type === "date") Object.assign(jsonSchema, dateTime);
    const place = readablePath(path);
    const isLost = type === "literal" ? !areJson(values) : saysNothing(jsonSchema) && !emptyZodTypes.includes(type);
    if (isLost) problems.set(place, type);
    // A schema with metadata comes after the same one without, and the metadata may say what the type is in JSON.
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

/** ArkType writes an empty schema for what JSON lacks, and asks `fallback` what to do instead. */
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

/** Valibot's converter throws for what JSON lacks, dates included. */
function valibotDialect(): Dialect {
  const overrideSchema = ({ valibotSchema }: ValibotContext): object | undefined =>
    valibotSchema.type === "date" ? { ...dateTime } : undefined;
  return { libraryOptions: { overrideSchema }, problemsIn: () => [] };
}
