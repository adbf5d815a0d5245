import { type Fields, isFields } from "../../is.js";
import { loadPackage } from "../../optional-package.js";
import { bufferMissing, externalReference, missingReference, notAnObject } from "./errors.js";

/** Resolves the `$ref`s of one document. */
export interface References {
  /** Follows references to an object. For a missing field, returns an empty one. */
  follow(value: unknown): Fields;
  /** Returns the target of a reference. Throws if there is none. */
  get(reference: string): unknown;
}

/** Loads the parser and opens a document. Nothing is fetched: a reference to another file is an error where it is used. */
export async function openReferences(document: Fields): Promise<References> {
  const { $RefParser } = await loadParser();
  const refs = await $RefParser.resolve(structuredClone(document), { resolve: { external: false } });
  const get = (reference: string): unknown => {
    if (!reference.startsWith("#")) throw externalReference(reference);
    try {
      return refs.get(reference);
    } catch (cause) {
      throw missingReference(reference, cause);
    }
  };
  const follow = (value: unknown): Fields => {
    const seen = new Set<unknown>();
    let current = value;
    while (isFields(current) && typeof current.$ref === "string") {
      if (seen.has(current)) throw missingReference(current.$ref, "it points at itself.");
      seen.add(current);
      current = get(current.$ref);
    }
    if (current === undefined) return {};
    if (!isFields(current)) throw notAnObject(current);
    return current;
  };
  return { get, follow };
}

async function loadParser() {
  if (!("Buffer" in globalThis)) throw bufferMissing();
  const name = "@apidevtools/json-schema-ref-parser";
  return loadPackage(name, "openApiTools", () => import("@apidevtools/json-schema-ref-parser"));
}
