import { inflateRawSync } from "node:zlib";
import { messageOf } from "../../errors.js";
import { loadPackage } from "../../optional-package.js";
import { decodeReferences, markdownFromDocx } from "./docx-markdown.js";
import { fileEncrypted, loadFailed, noTextInPages } from "./errors.js";

/** The text of a PDF, with a blank line between pages. */
export interface PdfText {
  readonly content: string;
  /** Where each page begins in the text. */
  readonly pageStarts: readonly number[];
  /** The title in the properties of the document. */
  readonly title: string | undefined;
}

/** The text of a DOCX, as Markdown. */
export interface DocxText {
  readonly content: string;
  /** The title in the properties of the document. */
  readonly title: string | undefined;
}

/** Reads the text of a PDF. Throws if there is none, because its pages are images that no query could find. */
export async function pdfText(uri: string, bytes: Uint8Array): Promise<PdfText> {
  const { pages, title } = await readPages(uri, bytes);
  if (pages.every((page) => page.trim() === "")) throw noTextInPages(uri, pages.length);
  const pageStarts: number[] = [];
  let length = 0;
  for (const page of pages) {
    pageStarts.push(length);
    length += page.length + between.length;
  }
  return { content: pages.join(between), pageStarts, title };
}

const between = "\n\n";
/** Makes pdf.js print errors only, not warnings about documents that it repairs. */
const quiet = { verbosity: 0 };

interface Pages {
  readonly pages: readonly string[];
  readonly title: string | undefined;
}

async function readPages(uri: string, bytes: Uint8Array): Promise<Pages> {
  const { extractText, getDocumentProxy } = await loadPackage("unpdf", "Reading PDF", () => import("unpdf"));
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes), quiet);
    try {
      const { text } = await extractText(pdf, { mergePages: false });
      return { pages: text, title: titleIn(await infoOf(pdf)) };
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === "PasswordException") throw fileEncrypted(uri);
    throw loadFailed(uri, "it is not a readable PDF.", cause);
  }
}

/** The properties of a PDF. A PDF whose properties are damaged still has its text. */
async function infoOf(pdf: { getMetadata(): Promise<{ readonly info: object }> }): Promise<object> {
  try {
    return (await pdf.getMetadata()).info;
  } catch {
    return {};
  }
}

const titleIn = (info: object): string | undefined => ("Title" in info ? filled(info.Title) : undefined);

const filled = (text: unknown): string | undefined =>
  typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;

/** Reads a DOCX as Markdown, with its headings, lists, tables, footnotes and endnotes. */
export async function docxText(uri: string, bytes: Uint8Array): Promise<DocxText> {
  const { default: mammoth } = await loadPackage("mammoth", "Reading DOCX", () => import("mammoth"));
  try {
    const buffer = Buffer.from(bytes);
    checkUnpackedSize(buffer);
    const convertImage = mammoth.images.imgElement(async () => ({ src: "" })); // only the text that describes it
    const { value } = await mammoth.convertToHtml({ buffer }, { styleMap, convertImage });
    return { content: markdownFromDocx(value), title: docxTitle(buffer) };
  } catch (cause) {
    throw loadFailed(uri, "it is not a readable DOCX.", cause);
  }
}

const styleMap = ["p[style-name='Title'] => h1:fresh"];

function docxTitle(zip: Buffer): string | undefined {
  for (const { name, method, start, length } of entriesOf(zip)) {
    if (name !== "docProps/core.xml") continue;
    const packed = zip.subarray(start, start + length);
    const xml = (method === 0 ? packed : inflateRawSync(packed)).toString("utf8");
    const [, title = ""] = /<dc:title\b[^>]*>([^<]*)</.exec(xml) ?? [];
    return filled(decodeReferences(title));
  }
  return undefined;
}

const maxUnpackedBytes = 100_000_000;
const centralEntry = 0x02014b50;
const endOfDirectory = 0x06054b50;

/** Guards against zip bombs: unpacks the archive up to a limit before mammoth reads it. */
function checkUnpackedSize(zip: Buffer): void {
  let left = maxUnpackedBytes;
  for (const { method, start, length } of entriesOf(zip)) {
    const packed = zip.subarray(start, start + length);
    left -= method === 0 ? packed.length : unpackedLength(packed, left);
    if (left < 0) throw new Error("It unpacks to more than 100 MB.");
  }
}

function unpackedLength(packed: Buffer, most: number): number {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) }).length;
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    throw new Error(isTooLarge ? "It unpacks to more than 100 MB." : messageOf(cause), { cause });
  }
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly start: number;
  readonly length: number;
}

function* entriesOf(zip: Buffer): Generator<ZipEntry> {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== endOfDirectory) end--;
  if (end < 0) throw new Error("It is not a ZIP archive.");
  const count = zip.readUInt16LE(end + 10);
  let place = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(place) !== centralEntry) throw new Error("The ZIP archive is damaged.");
    const header = zip.readUInt32LE(place + 42);
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const nameEnd = place + 46 + zip.readUInt16LE(place + 28);
    const name = zip.toString("utf8", place + 46, nameEnd);
    yield { name, method: zip.readUInt16LE(place + 10), start, length: zip.readUInt32LE(place + 20) };
    place += 46 + zip.readUInt16LE(place + 28) + zip.readUInt16LE(place + 30) + zip.readUInt16LE(place + 32);
  }
}
