import { type Fields, isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption } from "../errors.js";
import { type EntrySchema, entryProblem } from "../list-entries.js";
import { failed } from "./wire-error.js";

/** The most completion values in one result, as MCP defines it. */
const maxCompletions = 100;

/** The result of `completions`, as MCP defines it. */
export function completionOf(given: unknown): { values: string[]; total: number; hasMore: boolean } {
  const { values, total, hasMore }: Fields = isFields(given) ? given : { values: given };
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) {
    throw failed(
      `completions of MCPServer must return an array of strings, or { values } with one (got ${kindOf(isFields(given) ? values : given)}).`,
    );
  }
  const isCut = values.length > maxCompletions;
  return {
    values: values.slice(0, maxCompletions),
    total: Number.isInteger(total) ? Number(total) : values.length,
    hasMore: isCut || hasMore === true,
  };
}

/** The entries that a list function of `resources` returned. */
export function entriesOf(method: "listResources" | "resourceTemplates", given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given;
  throw failed(`${method} of the resources of MCPServer must return an array (got ${kindOf(given)}).`);
}

/** The content of a resource, as MCP defines it. `mimeType` is that of the list. */
export function resourceContentOf(given: unknown, asked: string, listed: string | undefined): Fields {
  const { uri, mimeType, text, blob } = isFields(given) ? given : {};
  const isText = typeof text === "string" && blob === undefined;
  const isBlob = typeof blob === "string" && text === undefined;
  if (!isText && !isBlob) {
    const got = isFields(given) ? `text: ${kindOf(text)}, blob: ${kindOf(blob)}` : kindOf(given);
    throw failed(
      `getResourceContent of MCPServer must return { text } with a string or { blob } with a base64 string for ${asked} (got ${got}).`,
    );
  }
  const type = mimeType ?? listed;
  return {
    uri: typeof uri === "string" ? uri : asked,
    ...(typeof type === "string" && { mimeType: type }),
    ...(isText ? { text } : { blob }),
  };
}

/** A message of a prompt in the form of MCP. `contentSchema` is that of the official package. */
export function promptMessageOf(prompt: string, { role, content }: Fields, contentSchema: EntrySchema): Fields {
  if ((role === "user" || role === "assistant") && entryProblem(contentSchema, content) === undefined)
    return { role, content };
  const got =
    role === "user" || role === "assistant" ? `content: ${shownContent(content)}` : `role: ${JSON.stringify(role)}`;
  throw invalidMcpOption(
    `The template of the prompt "${prompt}" must return messages such as userMessage("…"), or ` +
      `{ role: "user" or "assistant", content: { type: "text", text: "…" } } (got ${got}).`,
  );
}

function shownContent(content: unknown): string {
  return isFields(content) ? `{ type: ${JSON.stringify(content.type)} } with missing or wrong fields` : kindOf(content);
}

/** The values that the option `requestContext` gives for a call. */
export function contextValuesOf(given: unknown): Fields {
  if (given === undefined || given === null) return {};
  if (isFields(given)) return given;
  throw invalidMcpOption(`requestContext of MCPServer must return a record of values (got ${kindOf(given)}).`);
}
