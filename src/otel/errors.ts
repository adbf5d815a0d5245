import { KumikoError } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import { ToolError } from "../tools/define/errors.js";

export const unknownOtelOption = (option: string, known: readonly string[]): KumikoError =>
  new KumikoError("INVALID_OPTION", `Unknown option "${option}" of otelTracer. Options: ${known.join(", ")}.`);

export const invalidOtelOption = (name: string, rule: string, given: unknown): KumikoError =>
  new KumikoError("INVALID_OPTION", `${name} of otelTracer must be ${rule} (got ${shorten(given, { length: 80 })}).`);

/**
 * The word for `error.type`: the code of an error of this library, the kind of a tool error, the name of any other error. What
 * nodes and tools only wrapped is looked for inside.
 */
export function errorType(error: unknown): string {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    const word = wordOf(current);
    if (word !== undefined) return word;
    seen.add(current);
  }
  return KumikoError.is(error) ? error.code : "_OTHER";
}

function wordOf(error: Error): string | undefined {
  if (!KumikoError.is(error)) return error.name;
  if (ToolError.is(error)) return error.kind === "execution" ? undefined : error.kind;
  return error.code === "NODE_FAILED" ? undefined : error.code;
}
