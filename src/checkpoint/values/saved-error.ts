import { KumikoError } from "../../errors.js";
import { ToolError } from "../../tools/define/errors.js";
import { InterruptError } from "../pause/interrupt.js";
import { localPrototype } from "./local-prototype.js";
import { defineOwn } from "./own-property.js";

type Fields = Record<string, unknown>;

/** An error as it is saved. `links` and `fields` may refer back to it. */
export interface SavedError {
  /** The nearest class that every process has: built in, or from this library. */
  readonly type: string;
  /** Strings that are not enumerable: `message`, `name`, `stack`. */
  readonly texts: Readonly<Fields>;
  /** Other properties that are not enumerable: `cause`, `errors`. */
  readonly links: Readonly<Fields>;
  /** Own enumerable properties. */
  readonly fields: Readonly<Fields>;
}

export function isError(value: object): value is Error {
  if (value instanceof Error || KumikoError.is(value)) return true;
  return !(Symbol.toStringTag in value) && Object.prototype.toString.call(value) === "[object Error]";
}

/** Takes an error apart. Reads every property once. */
export function saveError(error: Error): SavedError {
  const type = typeNameOf(error);
  const [texts, links, fields]: [Fields, Fields, Fields] = [{}, {}, {}];
  for (const key of Object.keys(error)) if (key !== "stack") defineOwn(fields, key, Reflect.get(error, key), true);
  if (ToolError.is(error)) defineOwn(fields, "issues", plainIssues(fields.issues), true);
  for (const key of textKeys) {
    if (Object.hasOwn(fields, key)) continue;
    const value: unknown = Reflect.get(error, key);
    const isOwn = Object.hasOwn(error, key);
    if (typeof value === "string" && (isOwn || value !== inherited(key, type))) texts[key] = value;
    else if (isOwn && key !== "stack") links[key] = value;
  }
  for (const key of ["cause", "errors"]) {
    if (Object.hasOwn(error, key) && !Object.hasOwn(fields, key)) links[key] = Reflect.get(error, key);
  }
  return { type, texts, links, fields };
}

const textKeys = ["message", "name", "stack"] as const;

/** The value that an error of this type inherits. */
function inherited(key: (typeof textKeys)[number], type: string): string | undefined {
  if (type === "DOMException") return undefined;
  return key === "name" ? type : "";
}

/** An empty error of this type; `undefined` when the type is unknown. */
export function emptyError(type: unknown, { message, name }: Readonly<Fields>): Error | undefined {
  if (type === "DOMException") return new DOMException(textOrNothing(message), textOrNothing(name));
  if (type === "AggregateError") return new AggregateError([]);
  if (type === "KumikoError") return new KumikoError("NODE_FAILED", "");
  if (type === "ToolError") return new ToolError("execution", "", { toolName: "", callId: "" });
  if (type === "InterruptError") return new InterruptError("", [{ id: "", address: "", info: undefined }]);
  const Type = builtIn.find(({ name }) => name === type);
  return Type && new Type();
}

/** Fills an empty error. May be called more than once. */
export function fillError(error: Error, { type, texts, links, fields }: SavedError): void {
  if (!Object.hasOwn(texts, "stack")) Reflect.deleteProperty(error, "stack");
  for (const [key, value] of Object.entries(texts)) {
    if (!isOneOf(textKeys, key) || typeof value !== "string")
      throw new TypeError(`An error cannot have a text "${key}".`);
    if (type !== "DOMException" || key === "stack") defineOwn(error, key, value, false);
  }
  for (const [key, value] of Object.entries(links)) {
    if (!isOneOf(["message", "name", "cause", "errors"], key))
      throw new TypeError(`An error cannot have a link "${key}".`);
    defineOwn(error, key, value, false);
  }
  for (const key of Object.keys(fields)) if (fits(error, key, fields[key])) defineOwn(error, key, fields[key], true);
}

const isOneOf = (keys: readonly string[], key: string): boolean => keys.includes(key);

/** Whether a field has the type that code which reads errors of this library relies on. */
function fits(error: Error, key: string, value: unknown): boolean {
  if (!KumikoError.is(error)) return true;
  if (key === "code") return typeof value === "string";
  if (key === "interrupts") return Array.isArray(value) && value.length > 0;
  return key !== "nodePath" || Array.isArray(value);
}

const builtIn = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError] as const;

function typeNameOf(error: Error): string {
  if (ToolError.is(error)) return "ToolError";
  if (InterruptError.is(error)) return "InterruptError";
  if (KumikoError.is(error)) return "KumikoError";
  let prototype: object | null = Object.getPrototypeOf(error);
  while (prototype !== null) {
    const local = localPrototype(prototype);
    const found = [DOMException, AggregateError, ...builtIn].find((type) => type.prototype === local);
    if (found !== undefined) return found.name;
    prototype = Object.getPrototypeOf(prototype);
  }
  return "Error";
}

/** Issues of validators may hold what cannot be saved, such as functions and instances of classes. */
function plainIssues(issues: unknown): unknown {
  if (!Array.isArray(issues)) return issues;
  return issues.map((issue: unknown) => {
    const { message, path } = isObject(issue) ? issue : {};
    return Array.isArray(path) ? { message, path: path.map(plainStep) } : { message };
  });
}

function plainStep(step: unknown): unknown {
  const key = isObject(step) ? step.key : step;
  return typeof key === "symbol" ? String(key) : key;
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

const textOrNothing = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
