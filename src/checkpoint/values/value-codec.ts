import { KumikoError, messageOf } from "../../errors.js";
import { hostileValue, unreadableValue } from "../checkpoint-errors.js";
import type { AnyClassCodec } from "./class-codec.js";
import { ValueDecoder } from "./decoder.js";
import { ValueEncoder } from "./encoder.js";
import { isJsonLeaf, isJsonTree } from "./json-tree.js";
import { quoted } from "./quoted.js";
import { valueOfTree } from "./tree.js";
import { readGraph, writeGraph } from "./value-graph.js";

/**
 * Values as JSON text, for checkpoints. What is a tree of plain JSON stands there as it is, under `json`; everything else as
 * devalue writes it, under `graph`.
 */
export class ValueCodec {
  readonly #byPrototype: ReadonlyMap<object, AnyClassCodec>;
  readonly #byName: ReadonlyMap<string, AnyClassCodec>;

  constructor(codecs: readonly AnyClassCodec[]) {
    this.#byPrototype = new Map(codecs.map((codec) => [codec.type.prototype, codec]));
    this.#byName = new Map(codecs.map((codec) => [codec.name, codec]));
  }

  /** The value as JSON text, to be put into a document as it is. `slot` begins the path that an error names. */
  encode(value: unknown, slot: string): string {
    return this.encodeTree(value) ?? this.encodeGraph(value, slot);
  }

  /** The same, when plain JSON says all there is to say of the value. Never throws. */
  encodeTree(value: unknown): string | undefined {
    if (typeof value === "string") return `{"json":${quoted(value)}}`;
    // as JSON writes a number
    if (typeof value === "number") return isJsonLeaf(value) ? `{"json":${value}}` : undefined;
    try {
      return isJsonTree(value) ? `{"json":${JSON.stringify(value)}}` : undefined;
    } catch {
      return undefined; // a proxy that changes its mind: whoever takes it apart says what is wrong with it
    }
  }

  /** A part of a tree that JSON cannot say, with all objects in it. */
  encodeParts(value: unknown, slot: string): { readonly text: string; readonly objects: Iterable<object> } {
    const encoder = new ValueEncoder(this.#byPrototype, slot);
    const text = `{"graph":${writeGraph(encoder.take(value))}}`;
    return { text, objects: encoder.objects };
  }

  encodeGraph(value: unknown, slot: string): string {
    const snapshot = new ValueEncoder(this.#byPrototype, slot);
    try {
      return `{"graph":${writeGraph(snapshot.take(value))}}`;
    } catch (error) {
      throw snapshot.refusal ?? hostileValue(snapshot.place, error);
    }
  }

  /**
   * The value from what JSON.parse made of the text. To be called once for each: it may give back what it is given.
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
    const revival = new ValueDecoder(this.#byName, slot);
    try {
      const value = readGraph(flat, revival);
      revival.finish();
      return value;
    } catch (error) {
      throw KumikoError.is(error) ? error : unreadableValue(slot, `it is damaged: ${messageOf(error)}`, error);
    }
  }
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
