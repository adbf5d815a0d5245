/** Names of tools that every provider accepts. */
const plain = /^[A-Za-z0-9_-]{1,64}$/;
const longest = 64;

/**
 * The name of a tool for models: its own if providers accept it, otherwise its accepted characters and a hash of the whole name,
 * so that different names stay different.
 */
export function modelName(name: string): string {
  if (plain.test(name)) return name;
  const suffix = `_${hash(name)}`;
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longest - suffix.length) + suffix;
}

/** FNV-1a over UTF-16 units, as eight hex digits. The same for equal strings in every process. */
export function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
