import type { Document } from "../../schema/document.js";
import { decodeText } from "./decode-text.js";
import { docxText, pdfText } from "./office-text.js";

export interface LoadedBytes {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly charset?: string | undefined;
}

/** What was loaded as a document: its id is where it comes from. */
export async function readDocument({ uri, bytes, mimeType, charset }: LoadedBytes): Promise<Document> {
  const content = await textOf();
  return { id: uri, content, metadata: { uri, mimeType } };

  async function textOf(): Promise<string> {
    if (mimeType === "application/pdf") return pdfText(uri, bytes);
    if (mimeType.endsWith("wordprocessingml.document")) return docxText(uri, bytes);
    return decodeText(uri, bytes, charset);
  }
}
