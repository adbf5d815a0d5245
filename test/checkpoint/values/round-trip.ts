import type { AnyClassCodec } from "../../../src/checkpoint/values/class-codec.js";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";

/** What a value is after it was saved and read again, as another process would do it. */
export function roundTrip<Value>(value: Value, codecs: readonly AnyClassCodec[] = []): Value {
  const text = new ValueCodec(codecs).encode(value, "state");
  return new ValueCodec(codecs).decode(JSON.parse(text), "state") as Value;
}
