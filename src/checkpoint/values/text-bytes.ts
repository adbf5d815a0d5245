const encoder = new TextEncoder();

/** Short texts are written side by side into one piece of memory: making a piece costs more than filling it. */
const shared = { bytes: new Uint8Array(0), used: 0 };
const sharedSize = 16_384;
/** Longer ones get memory of their own, so that whoever keeps the bytes of a text keeps little else. */
const longestShared = 1_024;

/** A text as UTF-8. Its bytes are never written again: whoever gets them may keep them. */
export function bytesOf(text: string): Uint8Array {
  if (text.length > longestShared) return encoder.encode(text);
  const most = 3 * text.length; // a UTF-16 unit is at most three bytes
  if (shared.bytes.length - shared.used < most) {
    shared.bytes = new Uint8Array(sharedSize);
    shared.used = 0;
  }
  const start = shared.used;
  const { written } = encoder.encodeInto(text, shared.bytes.subarray(start));
  shared.used = start + written;
  return shared.bytes.subarray(start, shared.used);
}
