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
