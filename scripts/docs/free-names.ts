import { join, relative } from "node:path";
import { type Entry, readEntries } from "../public-api/entries.js";
import { type ExportedName, readExportedNames } from "../public-api/exported-names.js";
import type { FreeName, FreeNames } from "./snippet.js";

const preamble = "test/docs-preamble.ts";

export interface KnownNames {
  /** For blocks of pages: the names of the preamble. */
  readonly page: FreeNames;
  /** For the examples of a source file: the names of the package, of the file itself, and of the preamble. */
  forExample(source: string): FreeNames;
}

/** Reads which names snippets may use without importing them. `sources` are the files with examples. */
export function readKnownNames(root: string, folder: string, sources: readonly string[]): KnownNames {
  const entries = readEntries(root);
  const files = [preamble, ...sources].map((source): Entry => ({ specifier: source, source }));
  const names = readExportedNames(root, [...entries, ...files]);
  const fromFile = (source: string) => {
    const specifier = relative(folder, join(root, source)).replaceAll("\\", "/").replace(/\.ts$/, ".js");
    return toFreeNames(names.get(source) ?? [], specifier);
  };
  // The root comes last, so that it is preferred to the subpaths.
  const fromPackage = [...entries]
    .reverse()
    .flatMap(({ specifier }) => [...toFreeNames(names.get(specifier) ?? [], specifier)]);
  const page = fromFile(preamble);
  return { page, forExample: (source) => new Map([...page, ...fromFile(source), ...fromPackage]) };
}

function toFreeNames(names: readonly ExportedName[], specifier: string): Map<string, FreeName> {
  return new Map(names.map(({ name, kind }) => [name, { kind, specifier }]));
}
