import { inflateRawSync } from "node:zlib";
import { messageOf } from "../../errors.js";
import { noPackage } from "../errors.js";
import { loadFailed } from "./errors.js";

/** The text of a PDF, its pages one after the other with a blank line between them. */
export async function pdfText(uri: string, bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await loaded("unpdf", "Reading PDF", () => import("unpdf"));
  try {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
    return text.join("\n\n");
  } catch (cause) {
    throw loadFailed(uri, "it is not a PDF that can be read.", cause);
  }
}

/** The text of a DOCX, a paragraph a line. */
export async function docxText(uri: string, bytes: Uint8Array): Promise<string> {
  const { default: mammoth } = await loaded("mammoth", "Reading DOCX", () => import("mammoth"));
  try {
    checkUnpackedSize(Buffer.from(bytes));
    const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes) });
    return value;
  } catch (cause) {
    throw loadFailed(uri, "it is not a DOCX that can be read.", cause);
  }
}

const mostUnpacked = 100_000_000;
const centralEntry = 0x02014b50;
const endOfDirectory = 0x06054b50;

/** A small file may unpack to more than there is memory: it is unpacked here first, up to a limit. */
function checkUnpackedSize(zip: Buffer): void {
  let left = mostUnpacked;
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
