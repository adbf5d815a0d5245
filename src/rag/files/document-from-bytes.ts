import type { Document } from "../../schema/document.js";
import { loadFailed } from "./errors.js";
import { docxText, pdfText } from "./office-text.js";

export interface LoadedBytes {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly charset?: string | undefined;
}

/**
 * Converts loaded bytes to a document, whose id is the URI. The metadata of a PDF has `pageStarts`, from which its chunks get
 * their `pages`; that of a PDF or DOCX has its `title`, if it has one.
 */
export async function documentFromBytes({ uri, bytes, mimeType, charset }: LoadedBytes): Promise<Document> {
  const metadata = { uri, mimeType };
  if (mimeType === "application/pdf") {
    const { content, pageStarts, title } = await pdfText(uri, bytes);
    return { id: uri, content, metadata: { ...metadata, pageStarts, ...titled(title) } };
  }
  if (mimeType === docx) {
    const { content, title } = await docxText(uri, bytes);
    return { id: uri, content, metadata: { ...metadata, ...titled(title) } };
  }
  return { id: uri, content: decodeText(uri, bytes, charset), metadata };
}

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const titled = (title: string | undefined): { readonly title?: string } => (title === undefined ? {} : { title });

/** Decodes text and keeps its byte order mark. Throws if the bytes are not text. */
function decodeText(uri: string, bytes: Uint8Array, charset?: string): string {
  const encoding = charset ?? markedEncoding(bytes) ?? "utf-8";
  const decoder = decoderFor(uri, encoding);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw loadFailed(uri, `it is not text in ${encoding}.`, cause);
  }
  if (text.includes("\0")) throw loadFailed(uri, "it contains a NUL character, so it is binary data and not text.");
  return text;
}

function decoderFor(uri: string, encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  } catch (cause) {
    throw loadFailed(uri, `its encoding ${JSON.stringify(encoding)} is not supported.`, cause);
  }
}

function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
