import { KumikoError, messageOf } from "../errors.js";

/** A JSON value, or `undefined`. */
export type JsonSafe =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly JsonSafe[]
  | { readonly [key: string]: JsonSafe };

export interface JsonSafeOptions {
  /** How many values are copied; the rest is replaced by `…`. @default all */
  readonly maxValues?: number | undefined;
}

const MAX_DEPTH = 64;
const CUT = "…";

/**
 * Copies any value to one that `JSON.stringify` accepts. What JSON cannot represent becomes a string that describes it. Never
 * throws, whatever the value contains.
 */
export function jsonSafe(value: unknown, { maxValues = Number.POSITIVE_INFINITY }: JsonSafeOptions = {}): JsonSafe {
  return new Copier(maxValues).copy(value, 0);
}

class Copier {
  private left: number;
  /** Copies by original. While an object is being copied, the string that replaces it inside itself. */
  private readonly copies = new Map<object, JsonSafe>();

  constructor(maxValues: number) {
    this.left = maxValues;
  }

  copy(value: unknown, depth: number): JsonSafe {
    this.left -= 1;
    if (this.left < 0) return CUT;
    switch (typeof value) {
      case "string":
      case "boolean":
      case "undefined":
        return value;
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
      case "symbol":
        return String(value);
      case "function":
        return `[Function ${nameOf(() => value.name)}]`;
      default:
        return typeof value === "object" && value !== null ? this.copyObject(value, depth) : null;
    }
  }

  private copyObject(value: object, depth: number): JsonSafe {
    if (this.copies.has(value)) return this.copies.get(value);
    if (depth >= MAX_DEPTH) return CUT;
    this.copies.set(value, "[Circular]");
    let copy: JsonSafe;
    try {
      copy = this.open(value, depth + 1);
    } catch (error) {
      copy = threw(error);
    }
    this.copies.set(value, copy);
    return copy;
  }

  private open(value: object, depth: number): JsonSafe {
    if (Array.isArray(value)) return this.copyList(value, depth);
    if (value instanceof Error) return this.copyError(value, depth);
    if (value instanceof Map) return this.copyList(value, depth);
    if (value instanceof Set) return this.copyList(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[Invalid Date]" : value.toISOString();
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      return `[${typeName(value)} ${value.byteLength} bytes]`;
    if (Symbol.asyncIterator in value || value instanceof Promise) return `[${typeName(value)}]`;
    if ("toJSON" in value && typeof value.toJSON === "function") return this.copy(value.toJSON(), depth);
    return this.copyRecord(value, depth);
  }

  private copyList(values: Iterable<unknown>, depth: number): JsonSafe {
    const list: JsonSafe[] = [];
    for (const value of values) {
      if (this.left <= 0) {
        list.push(CUT);
        break;
      }
      list.push(this.copy(value, depth) ?? null);
    }
    return list;
  }

  private copyRecord(value: object, depth: number): JsonSafe {
    const entries: [string, JsonSafe][] = [];
    for (const key of Object.keys(value)) {
      if (this.left <= 0) {
        entries.push([CUT, CUT]);
        break;
      }
      entries.push([key, this.copyField(value, key, depth)]);
    }
    // fromEntries defines own properties, so that "__proto__" is an ordinary key
    return Object.fromEntries(entries);
  }

  private copyField(value: object, key: string, depth: number): JsonSafe {
    try {
      return this.copy(Reflect.get(value, key), depth);
    } catch (error) {
      return threw(error);
    }
  }

  private copyError(error: Error, depth: number): JsonSafe {
    const { name, message, cause } = error;
    const copy: Record<string, JsonSafe> = { name, message };
    const fields = KumikoError.is(error) ? Object.keys(error) : ["code"];
    for (const field of fields) if (field in error) copy[field] = this.copyField(error, field, depth);
    return cause === undefined ? copy : { ...copy, cause: this.copy(cause, depth) };
  }
}

function typeName(value: object): string {
  const { constructor: type } = value;
  return typeof type === "function" ? nameOf(() => type.name) : "Object";
}

function nameOf(read: () => unknown): string {
  try {
    const name = read();
    return typeof name === "string" && name !== "" ? name : "anonymous";
  } catch {
    return "anonymous";
  }
}

function threw(error: unknown): string {
  try {
    return `[Threw: ${messageOf(error)}]`;
  } catch {
    return "[Threw]";
  }
}
