import { type Fields, isFields } from "../../is.js";
import { bufferMissing, externalReference, missingReference, notAnObject, parserMissing } from "./errors.js";

/** Finds what the `$ref`s of one document point at. */
export interface References {
  /** Follows references until there is an object; a field that is missing is an empty one. */
  follow(value: unknown): Fields;
  /** What one reference points at. Throws when nothing is there. */
  get(reference: string): unknown;
}

/** Loads the parser and gives it a document. Nothing is fetched: what stands in other files is an error where it is used. */
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
  try {
    return await import("@apidevtools/json-schema-ref-parser");
  } catch (cause) {
    throw parserMissing(cause);
  }
}
