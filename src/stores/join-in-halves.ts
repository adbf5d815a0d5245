/** Joins conditions as a balanced tree, because databases limit how deep expressions nest. */
export function joinInHalves(parts: readonly string[], word: "AND" | "OR"): string {
  if (parts.length < 2) return parts[0] ?? (word === "AND" ? "TRUE" : "FALSE");
  const middle = parts.length >> 1;
  return `(${joinInHalves(parts.slice(0, middle), word)} ${word} ${joinInHalves(parts.slice(middle), word)})`;
}
