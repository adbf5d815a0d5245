import { loadFailed } from "./errors.js";

/** The text of bytes, with its byte order mark. Bytes that are no text are an error. */
export function decodeText(uri: string, bytes: Uint8Array, charset?: string): string {
  const encoding = charset ?? markedEncoding(bytes) ?? "utf-8";
  const decoder = decoderFor(uri, encoding);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw loadFailed(uri, `it is not text in ${encoding}.`, cause);
  }
  if (text.includes("\0")) throw loadFailed(uri, "it is not text, but bytes of another kind.");
  return text;
}

function decoderFor(uri: string, encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  } catch (cause) {
    throw loadFailed(uri, `its encoding ${JSON.stringify(encoding)} is not known.`, cause);
  }
}

function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
