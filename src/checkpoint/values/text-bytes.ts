const encoder = new TextEncoder();

/** Short texts share one buffer, because allocating a buffer costs more than filling it. */
const shared = { bytes: new Uint8Array(0), used: 0 };
const sharedSize = 16_384;
/** Longer texts get a buffer of their own, so that keeping their bytes does not keep much else alive. */
const longestShared = 1_024;

/** A string as UTF-8. The bytes are never overwritten, so a caller may keep them. */
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
