const shown = 80;

/** Quotes an id for a message, shortened if it is long. */
export function quoteId(id: unknown): string {
  if (typeof id !== "string") return `(${typeof id})`;
  return JSON.stringify(id.length > shown ? `${id.slice(0, shown)}…` : id);
}

/** Lists names in a message. */
export function known(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ") || "none";
}
