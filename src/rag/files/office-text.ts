import { inflateRawSync } from "node:zlib";
import { messageOf } from "../../errors.js";
import { noPackage } from "../errors.js";
import { fileEncrypted, loadFailed, noTextInPages } from "./errors.js";

/** The text of a PDF, with a blank line between pages. */
export interface PdfText {
  readonly content: string;
  /** Where each page begins in the text. */
  readonly pageStarts: readonly number[];
}

/** Reads the text of a PDF. Throws if there is none, because its pages are images that no query could find. */
export async function pdfText(uri: string, bytes: Uint8Array): Promise<PdfText> {
  const pages = await readPages(uri, bytes);
  if (pages.every((page) => page.trim() === "")) throw noTextInPages(uri, pages.length);
  const pageStarts: number[] = [];
  let length = 0;
  for (const page of pages) {
    pageStarts.push(length);
    length += page.length + between.length;
  }
  return { content: pages.join(between), pageStarts };
}

const between = "\n\n";
/** Makes pdf.js print errors only, not warnings about documents that it repairs. */
const quiet = { verbosity: 0 };

async function readPages(uri: string, bytes: Uint8Array): Promise<readonly string[]> {
  const { extractText, getDocumentProxy } = await loaded("unpdf", "Reading PDF", () => import("unpdf"));
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes), quiet);
    try {
      const { text } = await extractText(pdf, { mergePages: false });
      return text;
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === "PasswordException") throw fileEncrypted(uri);
    throw loadFailed(uri, "it is not a readable PDF.", cause);
  }
}

/** Reads the text of a DOCX, one line per paragraph. */
export async function docxText(uri: string, bytes: Uint8Array): Promise<string> {
  const { default: mammoth } = await loaded("mammoth", "Reading DOCX", () => import("mammoth"));
  try {
    checkUnpackedSize(Buffer.from(bytes));
    const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes) });
    return value;
  } catch (cause) {
    throw loadFailed(uri, "it is not a readable DOCX.", cause);
  }
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
    yield { method: zip.readUInt16LE(place + 10), start, length: zip.readUInt32LE(place + 20) };
    place += 46 + zip.readUInt16LE(place + 28) + zip.readUInt16LE(place + 30) + zip.readUInt16LE(place + 32);
  }
}

async function loaded<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw noPackage(name, purpose, cause);
  }
}
