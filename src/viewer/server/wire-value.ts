import { KumikoError, messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import type { ErrorView, WireValue } from "../api.js";
import type { Redact } from "../viewer-options.js";

const maxDepth = 64;
const maxBytes = 4_096;
const masked: WireValue = Object.freeze({ $: "masked" });
const cut: WireValue = Object.freeze({ $: "cut" });
/** The names of fields whose values nobody sees, in lower case. */
const secretNames = new Set(["authorization", "apikey", "api_key", "password", "token", "secret", "cookie"]);
const secretInJson = /"(authorization|api_?key|password|token|secret|cookie)"\s*:/i;

/** Copies a value to JSON that says what it is. Never throws. `path` is where it is. */
export function toWire(value: unknown, redact: Redact | undefined, path: readonly string[] = []): WireValue {
  return new Copier(redact).copy(value, path, 0);
}

/** The same, with about how many bytes the copy takes. */
export function measuredWire(
  value: unknown,
  redact: Redact | undefined,
  path: readonly string[],
): { readonly value: WireValue; readonly size: number } {
  const copier = new Copier(redact);
  return { value: copier.copy(value, path, 0), size: copier.size };
}

class Copier {
  readonly #redact: Redact | undefined;
  readonly #open = new Set<object>();
  size = 0;

  constructor(redact: Redact | undefined) {
    this.#redact = redact;
  }

  copy(given: unknown, path: readonly string[], depth: number): WireValue {
    let value = given;
    this.size += typeof given === "string" ? given.length + 16 : 16;
    if (this.#redact !== undefined) {
      try {
        value = this.#redact(given, path);
      } catch {
        return masked;
      }
    }
    switch (typeof value) {
      case "string":
        return secretInJson.test(value) ? maskedJson(value) : value;
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : text("number", Object.is(value, -0) ? "-0" : String(value));
      case "undefined":
        return { $: "undefined" };
      case "bigint":
      case "symbol":
        return text(typeof value, String(value));
      case "function":
        return text("function", typeof value.name === "string" ? value.name : "");
      default:
        return value === null ? null : this.#object(value as object, path, depth);
    }
  }

  #object(value: object, path: readonly string[], depth: number): WireValue {
    if (this.#open.has(value)) return { $: "circular" };
    if (depth >= maxDepth) return cut;
    this.#open.add(value);
    try {
      return this.#inside(value, path, depth + 1);
    } catch {
      return text("unreadable", "");
    } finally {
      this.#open.delete(value);
    }
  }

  #inside(value: object, path: readonly string[], depth: number): WireValue {
    if (Array.isArray(value)) return value.map((item, index) => this.copy(item, [...path, String(index)], depth));
    if (value instanceof Error) return { ...errorView(value, this.#redact, path), $: "error" } as object as WireValue;
    if (value instanceof Date)
      return text("date", Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString());
    if (value instanceof Map) {
      const pair = ([key, item]: readonly [unknown, unknown]): WireValue => {
        const name = typeof key === "string" ? key : String(typeof key);
        return [this.copy(key, path, depth), this.#field(name, () => item, path, depth)];
      };
      return { $: "map", entries: Array.from(value, pair) };
    }
    if (value instanceof Set) return { $: "set", values: Array.from(value, (item) => this.copy(item, path, depth)) };
    if (ArrayBuffer.isView(value))
      return bytes(value.constructor.name, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof ArrayBuffer) return bytes("ArrayBuffer", new Uint8Array(value));
    if (value instanceof URL) return text("url", withoutSecrets(value.href));
    if (value instanceof RegExp) return text("regexp", String(value));
    if (value instanceof Promise) return text("promise", "");
    if (Symbol.asyncIterator in value) return text("stream", "");
    const prototype: unknown = Object.getPrototypeOf(value);
    const fields = this.#record(value, path, depth);
    if (prototype === null || prototype === Object.prototype) return fields;
    const { constructor: type } = value;
    const name = typeof type === "function" ? type.name : "";
    return name === "" || name === "Object" ? fields : { $: "class", name, fields };
  }

  #record(value: object, path: readonly string[], depth: number): WireValue {
    const entries = Object.keys(value).flatMap((key): [string, WireValue][] => {
      const copy = this.#field(key, () => Reflect.get(value, key), path, depth);
      return isFields(copy) && copy.$ === "undefined" ? [] : [[key, copy]];
    });
    if (Object.hasOwn(value, "$")) return { $: "object", entries };
    // fromEntries defines own properties, so that "__proto__" is an ordinary key
    return Object.fromEntries(entries);
  }

  #field(key: string, read: () => unknown, path: readonly string[], depth: number): WireValue {
    if (secretNames.has(key.toLowerCase())) return masked;
    try {
      return this.copy(read(), [...path, key], depth);
    } catch {
      return text("unreadable", "");
    }
  }
}

/** Masks inside a text that is JSON, such as the arguments of a tool call. */
function maskedJson(given: string): string {
  try {
    const hide = (key: string, value: unknown): unknown => (secretNames.has(key.toLowerCase()) ? "•••" : value);
    return JSON.stringify(JSON.parse(given, hide));
  } catch {
    return given;
  }
}

function text(kind: string, shown: string): WireValue {
  return { $: "text", kind, text: shown };
}

function bytes(kind: string, value: Uint8Array): WireValue {
  if (value.byteLength > maxBytes) return { $: "bytes", kind, size: value.byteLength };
  return { $: "bytes", kind, size: value.byteLength, base64: btoa(String.fromCharCode(...value)) };
}

/** An error without its stack. */
export function errorView(
  error: unknown,
  redact: Redact | undefined,
  path: readonly string[] = ["error"],
  depth = 0,
): ErrorView {
  const fields = (typeof error === "object" && error !== null ? error : {}) as Partial<Record<string, unknown>>;
  const message = toWire(withoutSecrets(messageOf(error)), redact, [...path, "message"]);
  const { code, cause } = fields;
  const nodePath = KumikoError.is(error) ? error.nodePath : undefined;
  return {
    name: typeof fields.name === "string" ? fields.name : "Error",
    message: typeof message === "string" ? message : "•••",
    ...(typeof code === "string" && { code }),
    ...(Array.isArray(nodePath) && nodePath.length > 0 && { nodePath }),
    ...(cause !== undefined && depth < 8 && { cause: errorView(cause, redact, [...path, "cause"], depth + 1) }),
  };
}

/** Connection strings lose who connects and how. */
export function withoutSecrets(message: string): string {
  return message.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@[^\s"']*/gi, "$1•••");
}
