/** Encodes in pieces, because a function call takes a limited number of arguments. */
export function toBase64(bytes: Uint8Array | Uint8ClampedArray): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 8_192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  }
  return btoa(binary);
}

/** Also decodes the URL-safe alphabet, and text without padding; `undefined` for invalid base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (digit) => digit.charCodeAt(0));
  } catch {
    return undefined;
  }
}
