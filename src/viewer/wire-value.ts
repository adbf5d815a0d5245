import { isFields } from "../is.js";
import type { ValueView, WireValue } from "./api.js";

/** Returns what is shown of a value. Called for every value, from the outside in, with the keys that lead to it. */
export type Redact = (value: unknown, path: readonly string[]) => unknown;

export interface WireOptions {
  readonly redact?: Redact | undefined;
  /** Where the value stands in what is shown, for `redact`. */
  readonly path?: readonly string[] | undefined;
  /** The greatest length as JSON; the rest is cut. @default 5 MB */
  readonly limit?: number | undefined;
}

const maskedKeys = /^(authorization|apikey|api_key|password|token|secret|cookie)$/i;
const deepest = 64;
const largest = 5_000_000;

/**
 * A value as JSON that can be shown: secrets are masked, then `redact` is asked, and what JSON lacks is tagged. Never throws for
 * a value; an error of `redact` is thrown.
 */
export function wireView(value: unknown, { redact, path = [], limit = largest }: WireOptions = {}): ValueView {
  const writer = new Writer(redact, limit);
  const wire = writer.write(value, path, 0);
  return { value: wire, size: writer.size };
}

class Writer {
  size = 0;
  readonly #redact: Redact | undefined;
  readonly #limit: number;
  readonly #open = new Set<object>();

  constructor(redact: Redact | undefined, limit: number) {
    this.#redact = redact;
    this.#limit = limit;
  }

  write(given: unknown, path: readonly string[], depth: number): WireValue {
    const key = path.at(-1);
    if (key !== undefined && maskedKeys.test(key) && given !== undefined && given !== null) return this.#tag("masked");
    const value = this.#redact === undefined ? given : this.#redact(given, path);
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0)
          ? this.#plain(value)
          : this.#said("number", shown(value));
      case "boolean":
        return this.#plain(value);
      case "undefined":
        return this.#tag("undefined");
      case "bigint":
      case "symbol":
        return this.#said(typeof value, String(value));
      case "function":
        return this.#said("function", value.name);
      default:
        return typeof value === "object" && value !== null ? this.#object(value, path, depth) : this.#plain(null);
    }
  }

  #object(value: object, path: readonly string[], depth: number): WireValue {
    if (this.#open.has(value)) return this.#tag("circular");
    if (depth >= deepest || this.size > this.#limit) return this.#tag("cut");
    this.#open.add(value);
    try {
      return this.#inside(value, path, depth + 1);
    } catch (error) {
      if (this.#redact !== undefined) throw error;
      return this.#said("unreadable", "");
    } finally {
      this.#open.delete(value);
    }
  }

  #inside(value: object, path: readonly string[], depth: number): WireValue {
    const at = (key: string | number, item: unknown): WireValue => this.write(item, [...path, String(key)], depth);
    if (Array.isArray(value)) return this.#list(value, at);
    if (value instanceof Date)
      return this.#said("date", Number.isNaN(value.getTime()) ? "invalid" : value.toISOString());
    if (value instanceof URL) return this.#said("url", value.href);
    if (value instanceof RegExp) return this.#said("regexp", String(value));
    if (value instanceof Map) {
      const entries = [...value].map(([key, item], index) => [at(index, key), at(String(key), item)] as const);
      return { $: "map", entries };
    }
    if (value instanceof Set) return { $: "set", values: this.#list([...value], at) };
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      return { $: "bytes", kind: nameOf(value), size: value.byteLength };
    }
    if (value instanceof Promise) return this.#said("promise", "");
    if (Symbol.asyncIterator in value) return this.#said("stream", "");
    if (value instanceof Error) return this.#error(value, at);
    return this.#record(value, at);
  }

  #list(values: readonly unknown[], at: (key: number, item: unknown) => WireValue): WireValue[] {
    const list: WireValue[] = [];
    for (const [index, item] of values.entries()) {
      if (this.size > this.#limit) {
        list.push(this.#tag("cut"));
        break;
      }
      list.push(at(index, item));
    }
    return list;
  }

  #record(value: object, at: (key: string, item: unknown) => WireValue): WireValue {
    const entries: [string, WireValue][] = [];
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      if (this.size > this.#limit) {
        entries.push(["…", this.#tag("cut")]);
        break;
      }
      this.size += key.length + 4;
      entries.push([key, at(key, item)]);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    if (entries.some(([key]) => key === "$")) return { $: "object", entries };
    // own properties: `__proto__` is an ordinary key
    const fields = Object.fromEntries(entries);
    return isPlain ? fields : { $: "class", name: nameOf(value), fields };
  }

  #error(error: Error, at: (key: string, item: unknown) => WireValue): WireValue {
    const { name, message, cause } = error;
    const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
    this.size += message.length + 40;
    const inner = cause === undefined ? {} : { cause: at("cause", cause) };
    return { $: "error", name, message: withoutSecrets(message), ...code, ...inner };
  }

  #text(value: string): WireValue {
    const room = Math.max(200, this.#limit - this.size);
    this.size += value.length + 2;
    return value.length <= room ? value : `${value.slice(0, room)}…`;
  }

  #plain(value: number | boolean | null): WireValue {
    this.size += 6;
    return value;
  }

  #tag(tag: "undefined" | "circular" | "masked" | "cut"): WireValue {
    this.size += 20;
    return { $: tag };
  }

  #said(kind: string, text: string): WireValue {
    this.size += text.length + 30;
    return { $: "text", kind, text };
  }
}

function shown(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function nameOf(value: object): string {
  const type: unknown = Object.getPrototypeOf(value)?.constructor;
  return typeof type === "function" && type.name !== "" ? type.name : "Object";
}

/** Addresses with a password, and those of databases, are not shown. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(
      /\b(postgres(ql)?|mysql|mariadb|redis|rediss|mongodb(\+srv)?|amqps?):\/\/[^\s"'`]+/gi,
      "[connection string]",
    )
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/:@]+:[^\s/@]+@/gi, "$1[masked]@");
}

/** Whether a value is a record of which fields can be read. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {};
}
