import { KumikoError, messageOf } from "../../errors.js";
import { schemaInvalid } from "../../schema/errors.js";
import { shorten } from "../../schema/shorten.js";
import { kindOf, list } from "../../wording.js";
import { ToolCallError } from "../define/tool-call-error.js";

interface ThrownException {
  /** `Shop.place` */
  readonly method: string;
  readonly exception: string;
  /** The kind of a `TApplicationException`. */
  readonly status?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The exception that a service answered with. */
export function thriftException({ status, ...details }: ThrownException): ToolCallError<"thrift"> {
  const { method, exception, fields } = details;
  const what = status === undefined ? exception : `${exception} (${status})`;
  const { message, ...others } = fields;
  const isPlain = typeof message === "string" && Object.keys(others).length === 0;
  const text = isPlain ? message : shorten(fields, { length: 2_000 });
  return new ToolCallError(`${method} threw ${what}: ${text}`, { source: "thrift", status, details });
}

const invalidOption = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", what, cause === undefined ? {} : { cause });

// options

export const notOneDefinition = (given: readonly string[]): KumikoError =>
  invalidOption(
    `thriftTools needs exactly one of service (a module that the compiler generated), idl (text) and idlFile, but got ${given.join(" and ") || "none"}.`,
  );

export const invalidThriftValue = (where: string, name: string, expected: string, given: unknown): KumikoError =>
  invalidOption(`${where}: ${name} must be ${expected}, but is ${shorten(given, { length: 100 })}.`);

export const notAConnection = (given: unknown): KumikoError =>
  invalidOption(
    `thriftTools needs connection: { host, port }, { path } or { url }, what thriftConnection returns, or an object with exchange (got ${kindOf(given)}).`,
  );

export const passwordInConnectionAddress = (): KumikoError =>
  invalidOption(
    "thriftConnection accepts no user name or password in an address. Send them in a header: `authorization`.",
  );

export const fileUnreadable = (file: string, cause: unknown): KumikoError =>
  invalidOption(`thriftTools cannot read ${file}: ${messageOf(cause)}`, cause);

export const serviceUnknown = (file: string, name: string, names: readonly string[]): KumikoError =>
  invalidOption(`${file} has no service "${name}". Services: ${list(names)}.`);

export const noService = (file: string, names: readonly string[]): KumikoError =>
  names.length === 0
    ? schemaInvalid(`${file} has no service to make tools of.`)
    : invalidOption(`${file} has ${names.length} services. Choose one with serviceName: ${list(names)}.`);

// IDL

interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const place = ({ file, line, column }: Position): string => `${file}:${line}:${column}`;

export const idlInvalid = (at: Position, what: string): KumikoError => schemaInvalid(`${place(at)}: ${what}`);

export const unexpectedToken = (
  token: Position & { readonly kind: string; readonly text: string },
  expected: string,
): KumikoError => {
  const found = token.kind === "end" ? "the end" : JSON.stringify(token.text);
  return idlInvalid(token, `expected ${expected}, but found ${found}.`);
};

export const duplicateName = (at: Position, name: string, former?: Position): KumikoError =>
  idlInvalid(at, `"${name}" is defined twice${former === undefined ? "" : `: also at ${place(former)}`}.`);

export const unknownIdlName = (
  at: Position,
  name: string,
  names: readonly string[],
  includes: readonly string[],
): KumikoError => {
  const included = includes.length === 0 ? "" : ` Includes: ${list(includes, 20)}.`;
  return idlInvalid(at, `"${name}" is not defined. Defined: ${list(names, 20)}.${included}`);
};

export const wrongKindOfName = (at: Position, name: string, kind: string, expected: string): KumikoError =>
  idlInvalid(at, `"${name}" is a ${kind}, but ${expected} is expected.`);

export const typeInsideItself = (at: Position, name: string): KumikoError =>
  idlInvalid(at, `"${name}" refers to itself.`);

export const constantMismatch = (at: Position, kind: string): KumikoError =>
  idlInvalid(at, `this value does not fit the type ${kind}.`);

export const includeMissing = (at: Position, path: string): KumikoError =>
  idlInvalid(
    at,
    `the included file "${path}" cannot be found. Add its folder to includeFolders, or its text to includes.`,
  );

export const includeCycle = (at: Position, path: string): KumikoError =>
  idlInvalid(at, `"${path}" includes itself, directly or through others.`);

// generated services

export const notAService = (given: unknown): KumikoError =>
  invalidOption(
    "service of thriftTools must be a module that the Thrift compiler generated for a service (--gen js:node), " +
      `with Client and Processor, but is ${kindOf(given)}. Types alone, such as shop_types.js, have no methods.`,
  );

export const methodsUnusable = (problems: readonly string[], cause: unknown): KumikoError =>
  schemaInvalid(
    "thriftTools cannot make tools of these methods. Correct the definition, or leave them out with `exclude`:" +
      `\n- ${problems.join("\n- ")}`,
    cause,
  );

export const generatedUnreadable = (what: string): KumikoError =>
  schemaInvalid(`${what} cannot be read from generated code. Give the IDL instead: idlFile.`);

// a call

const failed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("TOOL_FAILED", what, cause === undefined ? {} : { cause });

export const argumentMissing = (path: string): KumikoError => failed(`"${path}" is required. Nothing was sent.`);

export const argumentMismatch = (path: string, expected: string, value: unknown): KumikoError =>
  failed(`"${path}" must be ${expected}, but is ${shorten(value, { length: 100 })}. Nothing was sent.`);

export const argumentUnknown = (
  path: string,
  name: string,
  fields: readonly { readonly name: string }[],
): KumikoError => {
  const names = list(fields.map((field) => field.name));
  return failed(`${path === "" ? "" : `"${path}": `}unknown field "${name}". Fields: ${names}. Nothing was sent.`);
};

export const unionNeedsOne = (
  path: string,
  fields: readonly { readonly name: string }[],
  given: readonly string[],
): KumikoError => {
  const names = fields.map(({ name }) => name).join(", ");
  return failed(`"${path}" is a union and takes exactly one of ${names}, but got ${list(given)}. Nothing was sent.`);
};

export const uuidUnsupported = (): KumikoError =>
  failed("This version of the package thrift has no uuid. Install a newer one.");

/** Without its text: it says how a damaged answer can come to be. */
export const answerDamaged = (why: string, cause?: unknown): KumikoError =>
  failed(`the answer is damaged, or has another transport or protocol: ${why}.`, cause);

export const thriftAnswerUnreadable = (method: string, address: string, cause: unknown): KumikoError =>
  failed(`${method} at ${address} was answered with something that cannot be read: ${messageOf(cause)}`, cause);

export const answerOfAnother = (found: string, expected: string): KumikoError =>
  answerDamaged(`it is that of ${found}, not of ${expected}`);

export const answerTooLarge = (size: number, limit: number): KumikoError =>
  answerDamaged(`it has ${size} bytes, and maxResponseBytes is ${limit}`);

export const thriftServerUnreachable = (method: string, address: string, cause: unknown): KumikoError =>
  failed(`${method} was not answered by ${address}: ${reasonOf(cause)}`, cause);

export const connectionLost = (method: string, address: string, received: number, cause?: unknown): KumikoError => {
  const why = cause === undefined ? "the server closed the connection" : messageOf(cause);
  const part = received === 0 ? "before any of the answer came" : `after ${received} bytes of the answer`;
  return failed(
    `${method} was not answered by ${address}: ${why} ${part}. It is not known whether the call was executed.`,
    cause,
  );
};

export const connectionClosed = (method: string, address: string): KumikoError =>
  failed(`${method} was not answered by ${address}: the connection was closed here with close().`);

export const redirectRefused = (method: string, address: string, status: number): KumikoError =>
  failed(
    `${method} was answered by ${address} with a redirect (${status}), which is not followed. Give the final address.`,
  );

/** `fetch failed` says little, so the message of its cause is added. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error ? error.cause : undefined;
  if (inner instanceof Error) return `${messageOf(error)} (${messageOf(inner)})`;
  // an address with several, none of which answers
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return messageOf(error);
}
