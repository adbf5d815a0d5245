import { KumikoError, messageOf } from "../../errors.js";
import { hostileValue, unreadableValue } from "../checkpoint-errors.js";
import type { AnyClassCodec } from "./class-codec.js";
import { ValueDecoder } from "./decoder.js";
import { ValueEncoder } from "./encoder.js";
import { isJsonLeaf, isJsonTree } from "./json-tree.js";
import { quoted } from "./quoted.js";
import { noteSavedForm } from "./saved-form.js";
import { valueOfTree } from "./tree.js";
import { readGraph, writeGraph } from "./value-graph.js";

/**
 * Writes values as JSON text for checkpoints. A tree of plain JSON is written as it is, under `json`; everything else in the form
 * of devalue, under `graph`.
 */
export class ValueCodec {
  readonly #byPrototype: ReadonlyMap<object, AnyClassCodec>;
  readonly #byName: ReadonlyMap<string, AnyClassCodec>;

  /** `byName`: those that read, if they are not the same. */
  constructor(codecs: readonly AnyClassCodec[], byName?: ReadonlyMap<string, AnyClassCodec>) {
    this.#byPrototype = new Map(codecs.map((codec) => [codec.type.prototype, codec]));
    this.#byName = byName ?? new Map(codecs.map((codec) => [codec.name, codec]));
  }

  /** The value as JSON text, to be inserted into a document. `slot` is the start of the path in error messages. */
  encode(value: unknown, slot: string): string {
    return this.encodeTree(value) ?? this.encodeGraph(value, slot);
  }

  /** The same if plain JSON represents the value completely; otherwise `undefined`. Never throws. */
  encodeTree(value: unknown): string | undefined {
    if (typeof value === "string") return `{"json":${quoted(value)}}`;
    // a template writes a number as JSON does
    if (typeof value === "number") return isJsonLeaf(value) ? `{"json":${value}}` : undefined;
    try {
      return isJsonTree(value) ? `{"json":${JSON.stringify(value)}}` : undefined;
    } catch {
      return undefined; // a proxy that changed between check and use: encodeGraph reports the error
    }
  }

  /** The text of a part that JSON cannot represent, and all objects in it. */
  encodeParts(value: unknown, slot: string): { readonly text: string; readonly objects: Iterable<object> } {
    const encoder = new ValueEncoder(this.#byPrototype, slot);
    const text = `{"graph":${writeGraph(encoder.take(value))}}`;
    return { text, objects: encoder.objects };
  }

  encodeGraph(value: unknown, slot: string): string {
    const encoder = new ValueEncoder(this.#byPrototype, slot);
    try {
      return `{"graph":${writeGraph(encoder.take(value))}}`;
    } catch (error) {
      throw encoder.refusal ?? hostileValue(encoder.place, error);
    }
  }

  /**
   * Decodes the parsed JSON of a value. To be called once for each: it may change the JSON and return it.
   */
  decode(json: unknown, slot: string): unknown {
    if (isRecord(json) && Object.hasOwn(json, "tree")) return valueOfTree(json, this, slot);
    if (isRecord(json) && Object.keys(json).length === 1) {
      if (Object.hasOwn(json, "json")) return Reflect.get(json, "json");
      if (Object.hasOwn(json, "graph")) return this.#decodeGraph(Reflect.get(json, "graph"), slot);
    }
    throw unreadableValue(slot, "this is not a saved value.");
  }

  #decodeGraph(flat: unknown, slot: string): unknown {
    const decoder = new ValueDecoder(this.#byName, slot);
    try {
      const value = readGraph(flat, decoder);
      decoder.finish();
      noteSavedForm(value, "graph");
      return value;
    } catch (error) {
      throw KumikoError.is(error) ? error : unreadableValue(slot, `it is damaged: ${messageOf(error)}`, error);
    }
  }
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
