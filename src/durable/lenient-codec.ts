import type { AnyClassCodec } from "../checkpoint/values/class-codec.js";
import { ValueCodec } from "../checkpoint/values/value-codec.js";

/** Reads instances of classes that no codec is known for as `{ class, value }`. */
export function lenientCodec(codecs: readonly AnyClassCodec[]): ValueCodec {
  return new ValueCodec(codecs, new LenientCodecs(codecs.map((codec) => [codec.name, codec])));
}

class LenientCodecs extends Map<string, AnyClassCodec> {
  override get(name: string): AnyClassCodec {
    return super.get(name) ?? plainCodec(name);
  }
}

const plainCodec = (name: string): AnyClassCodec => ({
  name,
  type: Object,
  encode: (value: unknown) => value,
  decode: (value: unknown) => ({ class: name, value }),
});
