import { ToolError } from "../../components/errors.js";
import { KumikoError } from "../../errors.js";

type Fields = Record<string, unknown>;

/** An error as it is saved. Cycles may lead from `links` and `fields` back to it. */
export interface SavedError {
  /** The nearest class that every process has: a built-in one, or one of this library. */
  readonly type: string;
  /** Texts that are no fields: `message`, `name`, `stack`. */
  readonly texts: Readonly<Fields>;
  /** What else is no field: `cause`, `errors`. */
  readonly links: Readonly<Fields>;
  /** Own enumerable properties. */
  readonly fields: Readonly<Fields>;
}

export function isError(value: object): value is Error {
  return value instanceof Error || KumikoError.is(value) || Object.prototype.toString.call(value) === "[object Error]";
}

/** Reads every property once. */
export function saveError(error: Error): SavedError {
  const type = typeNameOf(error);
  const [texts, links, fields]: [Fields, Fields, Fields] = [{}, {}, {}];
  for (const key of ["message", "name", "stack", "cause", "errors"]) {
    const own = Object.getOwnPropertyDescriptor(error, key);
    if (own?.enumerable === true && key !== "stack") continue;
    const isShown = own !== undefined || type === "DOMException" || key === "name" || key === "stack";
    const value: unknown = isShown ? Reflect.get(error, key) : undefined;
    if (typeof value === "string") texts[key] = value;
    else if (own !== undefined && key !== "stack") links[key] = value;
  }
  if (texts.name === type && !Object.hasOwn(error, "name")) delete texts.name;
  for (const key of Object.keys(error)) if (key !== "stack") define(fields, key, Reflect.get(error, key), true);
  if (ToolError.is(error)) define(fields, "issues", plainIssues(fields.issues), true);
  return { type, texts, links, fields };
}

/** An error of this type without its content, or nothing when there is no such type. */
export function emptyError(type: unknown, { message, name }: Readonly<Fields>): Error | undefined {
  if (type === "DOMException") return new DOMException(textOrNothing(message), textOrNothing(name));
  if (type === "AggregateError") return new AggregateError([]);
  if (type === "KumikoError") return new KumikoError("NODE_FAILED", "");
  if (type === "ToolError") return new ToolError("execution", "", { toolName: "", callId: "" });
  const Type = builtIn.find(({ name }) => name === type);
  return Type && new Type();
}

/** Gives an empty error its content. A second time does no harm. */
export function fillError(error: Error, { type, texts, links, fields }: SavedError): void {
  if (!Object.hasOwn(texts, "stack")) Reflect.deleteProperty(error, "stack");
  for (const [key, value] of Object.entries(texts)) {
    if (type !== "DOMException" || key === "stack") define(error, key, value, false);
  }
  for (const [key, value] of Object.entries(links)) define(error, key, value, false);
  for (const key of Object.keys(fields)) define(error, key, fields[key], true);
}

const builtIn = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError] as const;

function typeNameOf(error: Error): string {
  if (ToolError.is(error)) return "ToolError";
  if (KumikoError.is(error)) return "KumikoError";
  for (let prototype: object | null = Object.getPrototypeOf(error); prototype !== null; ) {
    if (prototype === DOMException.prototype) return "DOMException";
    if (prototype === AggregateError.prototype) return "AggregateError";
    const found = builtIn.find((type) => type.prototype === prototype);
    if (found !== undefined) return found.name;
    prototype = Object.getPrototypeOf(prototype);
  }
  return "Error";
}

/** Issues of validators carry what cannot be saved: functions, classes of theirs. */
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

function define(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

const textOrNothing = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
