import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fileUnreadable } from "../errors.js";
import type { FindInclude, IdlSource } from "./read-idl.js";

export async function readIdlFile(file: string | URL): Promise<IdlSource> {
  const path = resolve(file instanceof URL || file.startsWith("file:") ? fileURLToPath(file) : file);
  try {
    return { file: path, text: await readFile(path, "utf8") };
  } catch (cause) {
    throw fileUnreadable(path, cause);
  }
}

/** As the compiler does: beside the file that includes it, then in the folders. */
export function includesFrom(folders: readonly (string | URL)[]): FindInclude {
  const roots = folders.map((folder) => (folder instanceof URL ? fileURLToPath(folder) : folder));
  return async (path, from) => {
    for (const root of [dirname(from), ...roots]) {
      const file = resolve(root, path);
      const text = await readFile(file, "utf8").catch(undefinedIfMissing(file));
      if (text !== undefined) return { file, text };
    }
    return undefined;
  };
}

const undefinedIfMissing = (file: string) => (error: unknown) => {
  const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw fileUnreadable(file, error);
};
