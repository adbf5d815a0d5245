import { KumikoError, messageOf } from "../../errors.js";
import { schemaInvalid } from "../../schema/errors.js";
import { shorten } from "../../schema/shorten.js";

// the document

export const notADocument = (given: unknown): KumikoError =>
  schemaInvalid(
    `openApiTools needs an OpenAPI 3.0 or 3.1 document as an object, parsed, with "openapi" and "paths", but got ${shorten(given, { length: 100 })}.`,
  );

export const noAddress = (server: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `openApiTools cannot find the address of the service: the server of the document is ${shorten(server)}. Set baseUrl, such as "https://api.example.com/v1".`,
  );

/** The address is left out, because it has a password in it. */
export const passwordInServerAddress = (): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    "openApiTools accepts no user name or password in an address. Send them in a header: `authorization`.",
  );

export const operationsUnusable = (problems: readonly string[], cause: unknown): KumikoError =>
  schemaInvalid(
    "openApiTools cannot make tools of these operations. Correct the document, or leave them out with `exclude`:" +
      `\n- ${problems.join("\n- ")}`,
    cause,
  );

export const externalReference = (reference: string): KumikoError =>
  schemaInvalid(
    `the $ref "${reference}" points outside the document, and nothing is fetched. Bundle the document first.`,
  );

export const missingReference = (reference: string, cause: unknown): KumikoError =>
  schemaInvalid(`the $ref "${reference}" points to nothing: ${messageOf(cause)}`, cause);

export const notAnObject = (given: unknown): KumikoError =>
  schemaInvalid(`expected an object, but got ${shorten(given, { length: 100 })}.`);

export const invalidParameter = (given: unknown): KumikoError =>
  schemaInvalid(`a parameter needs "name" and "in" (got ${shorten(given, { length: 200 })}).`);

export const pathParameterMissing = (name: string): KumikoError =>
  schemaInvalid(`its path has {${name}}, but the operation has no path parameter of that name.`);

export const unknownBody = (types: readonly string[]): KumikoError =>
  schemaInvalid(
    `its body is required, but none of its media types can be sent: ${types.join(", ") || "it has none"}. Describe an XML body as a string.`,
  );

export const bodyNotAllowed = (method: string): KumikoError =>
  schemaInvalid(`its body is required, but \`fetch\` sends no body with ${method.toUpperCase()}.`);

export const brokenAnswer = (request: string, cause: unknown): string =>
  `openApiTools leaves the tool of ${request} without an outputSchema: ${messageOf(cause)}`;

export const bufferMissing = (): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    "openApiTools needs the global Buffer, which @apidevtools/json-schema-ref-parser reads documents with, and this runtime has none. " +
      'On Cloudflare Workers set compatibility_flags to ["nodejs_compat"], and globalThis.Buffer to the Buffer of node:buffer; ' +
      "in a browser do the same with the package buffer. Or make the tools on a server.",
  );

export const unknownScheme = (name: string, schemes: readonly string[]): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `auth of openApiTools names "${name}", which is not a security scheme of the document. Schemes: ${schemes.join(", ") || "none"}.`,
  );

// a call

export const invalidCredential = (name: string, form: string): KumikoError =>
  new KumikoError("INVALID_OPTION", `auth of openApiTools: the credential of "${name}" must be ${form}.`);

export const formWithoutFields = (value: unknown): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `The body of a form must be an object, but "body" is ${shorten(value)}. Nothing was sent.`,
  );

export const notBase64 = (name: string, value: unknown): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `"${name}" must be base64, but is ${shorten(value, { length: 100 })}. Nothing was sent.`,
  );

export const unsafePathValue = (name: string, value: unknown): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `The value ${shorten(value)} of "${name}" cannot be part of a path, because it would address another operation. Nothing was sent.`,
  );

/** Without the value: it may be a secret, and a model reads this. */
export const invalidHeader = (name: string): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `The header "${name}" cannot be sent: its name or its value is not allowed in a header.`,
  );

export const redirectUnreadable = (request: string): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `${request} was answered with a redirect, and browsers do not reveal the target. Set baseUrl to the final address.`,
  );

export const tooManyRedirects = (request: string): KumikoError =>
  new KumikoError("TOOL_FAILED", `${request} was redirected too many times.`);

export const serviceUnreachable = (request: string, cause: unknown): KumikoError =>
  new KumikoError("TOOL_FAILED", `${request} was not answered: ${reasonOf(cause)}`, { cause });

/** `fetch failed` says little, so the message of its cause is added. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error ? error.cause : undefined;
  return inner instanceof Error ? `${messageOf(error)} (${messageOf(inner)})` : messageOf(error);
}
