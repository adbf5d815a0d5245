const shown = 80;

/** An id in a message, shortened. */
export function quoteId(id: unknown): string {
  if (typeof id !== "string") return `(${typeof id})`;
  return JSON.stringify(id.length > shown ? `${id.slice(0, shown)}…` : id);
}

/** A list of names in a message. */
export function known(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ") || "none";
}
