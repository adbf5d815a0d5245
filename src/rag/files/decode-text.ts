import { loadFailed } from "./errors.js";

/** Decodes text and keeps its byte order mark. Throws if the bytes are not text. */
export function decodeText(uri: string, bytes: Uint8Array, charset?: string): string {
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
