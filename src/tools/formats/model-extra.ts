import type { Fields } from "../../is.js";

const names = ["strict", "providerOptions", "inputExamples"] as const;

/** Fields of a tool that are meant for providers of models: `info.extra`. */
export function modelExtra(tool: Fields): Readonly<Record<string, unknown>> | undefined {
  const given = names.filter((name) => tool[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, tool[name]]));
}

/** A title is meant for users, so it is carried with the metadata, as the title of an MCP tool is. */
export function withTitle(metadata: unknown, title: unknown): unknown {
  return typeof title === "string" ? { title, ...(metadata as object | undefined) } : metadata;
}
