import { messageOf } from "../errors.js";
import { isFields } from "../is.js";
import type { ErrorView, ValueView, WireValue } from "./api.js";

/** Replaces a value before it leaves the process; `path` is where it is, such as `["output", "card", "number"]`. @internal */
export type Redact = (value: unknown, path: readonly string[]) => unknown;

export interface WireOptions {
  readonly redact?: Redact | undefined;
  /** Where the value is, for `redact`. */
  readonly path?: readonly string[] | undefined;
  /** About how long the copy may be as JSON; the rest is cut. @default 5 MB */
  readonly limit?: number | undefined;
}

const maxDepth = 64;
const maxBytes = 4_096;
const largest = 5_000_000;
const masked: WireValue = Object.freeze({ $: "masked" });
const cut: WireValue = Object.freeze({ $: "cut" });
const circular: WireValue = Object.freeze({ $: "circular" });
const nothing: WireValue = Object.freeze({ $: "undefined" });
/** The names of fields whose values nobody sees, in lower case. */
const secretNames = new Set(["authorization", "apikey", "api_key", "password", "token", "secret", "cookie"]);
const secretInJson = /"(authorization|api_?key|password|token|secret|cookie)"\s*:/i;
const nowhere: readonly string[] = [];

/**
 * Copies a value to JSON that says what it is: secrets are masked, then `redact` is asked, and what JSON lacks is tagged. Never
 * throws. `size` is about how long the copy is as JSON.
 */
export function wireView(value: unknown, { redact, path = nowhere, limit = largest }: WireOptions = {}): ValueView {
  return new Copier(redact, limit).view(value, path);
}

/** Copies value after value, as {@link wireView} does: where there is no `redact`, it makes no paths, and no function per field. */
export class Copier {
  size = 0;
  readonly #redact: Redact | undefined;
  readonly #limit: number;
  /** The objects around the value that is being copied. */
  readonly #open: object[] = [];

  constructor(redact: Redact | undefined, limit = largest) {
    this.#redact = redact;
    this.#limit = limit;
  }

  view(given: unknown, path: readonly string[] = nowhere): ValueView {
    // a getter of a value may lead to another one
    const outer = this.size;
    this.size = 0;
    const value = this.copy(given, path, 0);
    const view = { value, size: this.size };
    this.size = outer;
    return view;
  }

  copy(given: unknown, path: readonly string[], depth: number): WireValue {
    const value = this.#redact === undefined ? given : this.#redacted(given, path);
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "boolean":
        this.size += 5;
        return value;
      case "number":
        this.size += 6;
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : text("number", Object.is(value, -0) ? "-0" : String(value));
      case "undefined":
        return nothing;
      case "bigint":
      case "symbol":
        this.size += 40;
        return text(typeof value, String(value).slice(0, 100_000));
      case "function":
        return text("function", typeof value.name === "string" ? value.name : "");
      default:
        this.size += 4;
        if (value === masked) return masked;
        return value === null ? null : this.#object(value as object, path, depth);
    }
  }

  /** A `redact` that throws hides the value. */
  #redacted(value: unknown, path: readonly string[]): unknown {
    try {
      return this.#redact?.(value, path);
    } catch {
      return masked;
    }
  }

  #text(value: string): string {
    const room = Math.max(200, this.#limit - this.size);
    const shown = value.length <= room ? value : `${value.slice(0, room)}…`;
    this.size += shown.length + 2;
    const first = value.charCodeAt(0);
    // { or [: the arguments of a tool call, for instance
    return (first === 123 || first === 91) && secretInJson.test(value) ? maskedJson(value, shown) : shown;
  }

  #object(value: object, path: readonly string[], depth: number): WireValue {
    if (depth >= maxDepth || this.size > this.#limit) return cut;
    if (this.#open.includes(value)) return circular;
    this.#open.push(value);
    try {
      if (Array.isArray(value)) return this.#list(value, path, depth + 1);
      const prototype: unknown = Object.getPrototypeOf(value);
      return (prototype === Object.prototype || prototype === null) && !(Symbol.asyncIterator in value)
        ? this.#record(value, path, depth + 1)
        : this.#instance(value, path, depth + 1);
    } catch {
      return text("unreadable", "");
    } finally {
      this.#open.pop();
    }
  }

  #instance(value: object, path: readonly string[], depth: number): WireValue {
    if (value instanceof Error) return { ...errorView(value, this.#redact, path), $: "error" } as object as WireValue;
    if (value instanceof Date)
      return text("date", Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString());
    if (value instanceof Map) {
      const pair = ([key, item]: readonly [unknown, unknown]): WireValue => [
        this.copy(key, path, depth),
        typeof key === "string" ? this.#field(key, item, path, depth) : this.copy(item, path, depth),
      ];
      return { $: "map", entries: this.#upTo(value, pair) };
    }
    if (value instanceof Set) return { $: "set", values: this.#upTo(value, (item) => this.copy(item, path, depth)) };
    if (ArrayBuffer.isView(value))
      return this.#bytes(value.constructor.name, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof ArrayBuffer) return this.#bytes("ArrayBuffer", new Uint8Array(value));
    if (value instanceof URL) return text("url", withoutSecrets(value.href));
    if (value instanceof RegExp) return text("regexp", String(value));
    if (value instanceof Promise) return text("promise", "");
    if (Symbol.asyncIterator in value) return text("stream", "");
    const fields = this.#record(value, path, depth);
    const { constructor: type } = value;
    const name = typeof type === "function" ? type.name : "";
    return name === "" || name === "Object" ? fields : { $: "class", name, fields };
  }

  #list(list: readonly unknown[], path: readonly string[], depth: number): WireValue {
    const copies: WireValue[] = [];
    for (let index = 0; index < list.length; index++) {
      if (this.size > this.#limit) {
        copies.push(cut);
        break;
      }
      copies.push(this.copy(list[index], this.#redact === undefined ? nowhere : [...path, String(index)], depth));
    }
    return copies;
  }

  #upTo<Item>(items: Iterable<Item>, copy: (item: Item) => WireValue): readonly WireValue[] {
    const copies: WireValue[] = [];
    for (const item of items) {
      if (this.size > this.#limit) {
        copies.push(cut);
        break;
      }
      copies.push(copy(item));
    }
    return copies;
  }

  #record(value: object, path: readonly string[], depth: number): WireValue {
    const copy: Record<string, WireValue> = {};
    let isTagged = false;
    for (const key of Object.keys(value)) {
      if (this.size > this.#limit) {
        copy["…"] = cut;
        break;
      }
      const item = this.#read(value, key, path, depth);
      if (item === nothing) continue;
      this.size += key.length + 4;
      if (key === "$") isTagged = true;
      if (key !== "__proto__") copy[key] = item;
      else Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
    }
    return isTagged ? { $: "object", entries: Object.entries(copy) } : copy;
  }

  #read(value: object, key: string, path: readonly string[], depth: number): WireValue {
    try {
      return isSecret(key) ? masked : this.#field(key, Reflect.get(value, key), path, depth);
    } catch {
      return text("unreadable", "");
    }
  }

  #field(key: string, item: unknown, path: readonly string[], depth: number): WireValue {
    if (isSecret(key)) return masked;
    return this.copy(item, this.#redact === undefined ? nowhere : [...path, key], depth);
  }

  #bytes(kind: string, value: Uint8Array): WireValue {
    const size = value.byteLength;
    this.size += 40;
    if (size > maxBytes) return { $: "bytes", kind, size };
    this.size += size * 1.4;
    return { $: "bytes", kind, size, base64: btoa(String.fromCharCode(...value)) };
  }
}

/** Most names are not as long as one of these. */
function isSecret(key: string): boolean {
  const { length } = key;
  return ((length > 4 && length < 9) || length === 13) && secretNames.has(key.toLowerCase());
}

/** Masks inside a text that is JSON. What is no JSON stays as it is. */
function maskedJson(given: string, shown: string): string {
  try {
    const hide = (key: string, value: unknown): unknown => (isSecret(key) ? "•••" : value);
    return JSON.stringify(JSON.parse(given, hide)).slice(0, shown.length);
  } catch {
    return shown;
  }
}

function text(kind: string, shown: string): WireValue {
  return { $: "text", kind, text: shown };
}

/** An error without its stack. It may come from a file, where it is an object. */
export function errorView(
  error: unknown,
  redact: Redact | undefined,
  path: readonly string[] = ["error"],
  depth = 0,
): ErrorView {
  const { name, message, code, cause, nodePath } = errorFields(error);
  const said = typeof message === "string" ? message : messageOf(error);
  const { value: shown } = wireView(withoutSecrets(said), { redact, path: [...path, "message"] });
  return {
    name: typeof name === "string" ? name : "Error",
    message: typeof shown === "string" ? shown : "•••",
    ...(typeof code === "string" && { code }),
    ...(Array.isArray(nodePath) && nodePath.length > 0 && { nodePath: nodePath.map(String) }),
    ...(cause !== undefined && depth < 8 && { cause: errorView(cause, redact, [...path, "cause"], depth + 1) }),
  };
}

/** Getters of what was thrown may throw themselves. */
function errorFields(error: unknown): Readonly<Partial<Record<string, unknown>>> {
  try {
    const { name, message, code, cause, nodePath } = fieldsOf(error);
    return { name, message, code, cause, nodePath };
  } catch {
    return {};
  }
}

const databases = /\b(postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?):\/\/[^\s"'`]+/gi;
const signedIn = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@[^\s"']*/gi;

/** Connection strings, and addresses with a name or a password, lose all but their scheme. */
export function withoutSecrets(message: string): string {
  return message.includes("://") ? message.replace(databases, "$1://•••").replace(signedIn, "$1•••") : message;
}

/** The fields of a value; none of what has none. */
export function fieldsOf(value: unknown): Readonly<Partial<Record<string, unknown>>> {
  return isFields(value) ? value : {};
}
