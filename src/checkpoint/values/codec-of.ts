import type { AnyClassCodec } from "./class-codec.js";
import { ValueCodec } from "./value-codec.js";

const codecs = new WeakMap<readonly AnyClassCodec[], ValueCodec>();

/** One codec for all that use the same class codecs: those of a runtime. */
export function codecOf(given: readonly AnyClassCodec[]): ValueCodec {
  let codec = codecs.get(given);
  if (codec === undefined) {
    codec = new ValueCodec(given);
    codecs.set(given, codec);
  }
  return codec;
}
