import { invalidPath } from "./errors.js";

const longest = 1_024;
const longestName = 255;

/** The names of temporary files and locks begin with it: files of others cannot. */
export const ownMark = ".~kumiko-";

/** A path in its one form: `notes/today.md` for `./notes//today.md`. Throws for a path that could lead out, or that has no name. */
export function filePath(path: unknown): string {
  const names = namesIn(path);
  if (names.length === 0) throw invalidPath(path, "it names no file");
  return names.join("/");
}

/** The same for a folder; `""` is the whole. */
export function folderPath(path: unknown): string {
  return namesIn(path).join("/");
}

/** Checks a literal beginning of paths. */
export function pathPrefix(prefix: unknown): string {
  namesIn(prefix);
  return String(prefix);
}

function namesIn(path: unknown): string[] {
  if (typeof path !== "string") throw invalidPath(path, "a path must be a string");
  if (path.length > longest) throw invalidPath(path, `it has more than ${longest} characters`);
  if (path.includes("\0")) throw invalidPath(path, "it contains a NUL character");
  if (path.includes("\\")) throw invalidPath(path, "it contains a backslash. Separate names with /");
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) throw invalidPath(path, "it is absolute. Use a relative path");
  if (/\p{Surrogate}/u.test(path)) throw invalidPath(path, "it contains half of a surrogate pair");
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  for (const name of names) {
    if (name === "..") throw invalidPath(path, 'it contains ".."');
    if (name.startsWith(ownMark)) throw invalidPath(path, `names that begin with ${ownMark} are reserved`);
    if (encoder.encode(name).length > longestName)
      throw invalidPath(path, `a name in it has more than ${longestName} bytes`);
  }
  return names;
}

const encoder = new TextEncoder();

/**
 * Whether a path is a folder, or lies in it; `""` is the whole. File systems may not tell upper from lower case, nor see characters
 * without a width, so this does neither.
 */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [sameCase(path), sameCase(folder)];
  return outer === "" || inner === outer || inner.startsWith(`${outer}/`);
}

const ignored = /\p{Default_Ignorable_Code_Point}/gu;

function sameCase(path: string): string {
  return path.replaceAll(ignored, "").normalize("NFKC").toLowerCase().toUpperCase().normalize("NFC");
}
