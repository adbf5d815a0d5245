/** `1.4 kB`, `33.1 MB` */
export function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return unit === 0 ? count(bytes, "byte") : `${size.toFixed(1)} ${units[unit]}`;
}

/** `1 file`, `1,240 files` */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** `a, b and c` */
export function enumerate(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

export function numbered(items: readonly string[]): string {
  return items.map((item, index) => `${index + 1}. ${item}`).join("\n");
}

/** The first items, and how many are left. */
export function some(items: readonly string[], limit: number): string {
  return items.length <= limit
    ? enumerate(items)
    : `${items.slice(0, limit).join(", ")} and ${items.length - limit} more`;
}

export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, text.lastIndexOf(" ", length) + 1 || length).trimEnd()} …`;
}
