/** Random bytes are fetched in batches, because a call costs the same for one byte as for thousands. */
const batch = { bytes: new Uint8Array(0), used: 0 };
const batchSize = 4_096;
const idSize = 16;

const digits = "0123456789abcdef";
/** A buffer for the characters of an id, reused for each. */
const codes: number[] = [];

/** 128 random bits, as 32 hexadecimal digits. */
export function randomId(): string {
  if (batch.used === batch.bytes.length) {
    batch.bytes = crypto.getRandomValues(new Uint8Array(batchSize));
    batch.used = 0;
  }
  for (let n = 0; n < idSize; n++) {
    const byte = batch.bytes[batch.used++] ?? 0;
    codes[2 * n] = digits.charCodeAt(byte >> 4);
    codes[2 * n + 1] = digits.charCodeAt(byte & 15);
  }
  return String.fromCharCode(...codes);
}
