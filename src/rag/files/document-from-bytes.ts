import type { Document } from "../../schema/document.js";
import { decodeText } from "./decode-text.js";
import { docxText, pdfText } from "./office-text.js";

export interface LoadedBytes {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly charset?: string | undefined;
}

/**
 * Converts loaded bytes to a document, whose id is the URI. The metadata of a PDF has `pageStarts`, from which its chunks get
 * their `pages`.
 */
export async function documentFromBytes({ uri, bytes, mimeType, charset }: LoadedBytes): Promise<Document> {
  const metadata = { uri, mimeType };
  if (mimeType === "application/pdf") {
    const { content, pageStarts } = await pdfText(uri, bytes);
    return { id: uri, content, metadata: { ...metadata, pageStarts } };
  }
  const content = mimeType.endsWith("wordprocessingml.document")
    ? await docxText(uri, bytes)
    : decodeText(uri, bytes, charset);
  return { id: uri, content, metadata };
}
