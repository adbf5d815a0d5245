import type { ParseOptions, Parser } from "../components/parser.js";
import type { Document } from "../schema/document.js";
import { StreamReader } from "../schema/stream/reader.js";
import { expectDocuments } from "./component-stage.js";
import { type ConformanceCheck, checkedCase, expectSame, expectThat, rejectionOf, soon } from "./conformance.js";
import { deepEqual } from "./deep-equal.js";

/** A case of {@link parserConformance}. */
export interface ParserCase {
  /** The bytes to parse. */
  readonly source: Uint8Array;
  /** The options of `parse`. */
  readonly options?: ParseOptions | undefined;
}

/**
 * Checks for a `Parser`, for any test runner: it returns the same documents for bytes and for streams of them, however they are
 * split, and adds the given metadata to every document. `make` is called for each check.
 *
 * @example
 * const lines: Parser = {
 *   async parse(source, { uri = "lines", metadata = {} } = {}) {
 *     const text = await new Response(source instanceof Uint8Array ? source.slice() : StreamReader.from(source).toReadableStream()).text();
 *     return text.split("\n").map((content, line) => ({ id: `${uri}#${line}`, content, metadata }));
 *   },
 * };
 * const source = new TextEncoder().encode("one\ntwo");
 * for (const { run } of parserConformance(() => lines, { source })) await run();
 */
export function parserConformance(make: () => Parser, parserCase: ParserCase): ConformanceCheck[] {
  const needed = { source: 'new TextEncoder().encode("one")' };
  const { source, options = {} } = checkedCase("parserConformance", make, parserCase, needed);
  const check = (name: string, run: (parse: Parser["parse"]) => Promise<void>): ConformanceCheck => ({
    name,
    run: async () => {
      const parser = make();
      await run((from, more = options) => soon(parser.parse(from, more), "parse"));
    },
  });
  const same = (documents: readonly Document[], others: readonly Document[]): void =>
    expectThat(deepEqual(documents, others), "The stream and the bytes result in different documents.");
  return [
    check("returns documents", async (parse) => {
      const documents = await parse(source.slice());
      expectDocuments(documents);
      expectThat(documents.length > 0, "There are no documents.");
      expectSame(new Set(documents.map(({ id }) => id)).size, documents.length, "The number of different ids");
    }),
    check("returns the same documents for an async iterable, in one piece", async (parse) => {
      same(await parse(inPieces(source, source.length)), await parse(source.slice()));
    }),
    check("returns the same documents for an async iterable, byte by byte", async (parse) => {
      same(await parse(inPieces(source, 1)), await parse(source.slice()));
    }),
    check("returns the same documents for a web stream", async (parse) => {
      same(await parse(StreamReader.from(inPieces(source, 7)).toReadableStream()), await parse(source.slice()));
    }),
    check("adds the given metadata to every document", async (parse) => {
      const documents = await parse(source.slice(), { ...options, metadata: { ...options.metadata, check: "added" } });
      expectThat(
        documents.every(({ metadata }) => metadata.check === "added"),
        "A document lacks the given metadata.",
      );
    }),
    check("does not change the bytes", async (parse) => {
      const given = source.slice();
      await parse(given);
      expectThat(deepEqual([...given], [...source]), "The bytes have changed.");
    }),
    check("rejects when its stream fails", async (parse) => {
      await rejectionOf(parse(inPieces(source, 1, new Error("cut off"))), "Parsing a stream that fails");
    }),
  ];
}

async function* inPieces(bytes: Uint8Array, size: number, failure?: Error): AsyncGenerator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
  if (failure !== undefined) throw failure;
}
