import type { AgentContext } from "../agents/agent-context.js";
import { hasMethod } from "../is.js";
import { notBytes, notFiles } from "./errors.js";

/** The bytes of a file, and which content that is. */
export interface StoredFile {
  /** A copy, which the caller may change. */
  readonly data: Uint8Array;
  /** Identifies the content, for `ifVersion`. */
  readonly version: string;
}

/**
 * Files under relative paths with `/`, such as `notes/today.md`. `folderFiles` and `storeFiles` make them; write your own for other
 * places. Paths that they do not accept throw an error with the code `INVALID_KEY`.
 *
 * @example
 * const files: Files = storeFiles(memoryStore(), "team");
 * await files.write("notes.md", new TextEncoder().encode("Maples turn red."));
 * for await (const path of files.list()) console.log(path, (await files.read(path))?.version);
 */
export interface Files {
  /** Returns a file; `undefined` if there is none. */
  read(path: string): Promise<StoredFile | undefined>;
  /**
   * Writes a file as a whole or not at all, and returns its new version. With `ifVersion`, it replaces only this version, and else
   * rejects with the code `CHECKPOINT_CONFLICT`.
   */
  write(path: string, data: Uint8Array, options?: { readonly ifVersion?: string | undefined }): Promise<string>;
  /** Every path that starts with `prefix`, compared literally, in ascending order of code points. */
  list(prefix?: string): AsyncIterable<string>;
  /** Removes a file. One that is not there is not an error. */
  delete(path: string): Promise<void>;
}

/** Files, or a function that chooses them for each call: those of a user or a thread, for instance. */
export type FilesOption = Files | ((agent: AgentContext) => Files);

/** Throws for what has not the methods of files. */
export function requireFiles(where: string, given: unknown): asserts given is Files {
  const isFiles = ["read", "write", "list", "delete"].every((name) => hasMethod(given, name));
  if (!isFiles) throw notFiles(where, given);
}

/** Checks an option at construction; what a function returns is checked when it does. */
export function checkFilesOption(where: string, given: unknown): void {
  if (typeof given !== "function") requireFiles(where, given);
}

/** What is to be written: the caller may change it at once. */
export function copyOf(data: unknown): Uint8Array {
  if (!(data instanceof Uint8Array)) throw notBytes(data);
  return data.slice();
}

/** Where files are, if they say so: two objects with the same place have the same files. */
export const filesPlace: unique symbol = Symbol.for("kumiko/files-place") as never;

/** A folder, by its real path, or rows of a store. */
export type FilesPlace =
  | { readonly type: "folder"; readonly root: string }
  | { readonly type: "store"; readonly store: object; readonly root: string };

/** Files that say where they are. */
export interface PlacedFiles extends Files {
  [filesPlace](): FilesPlace | Promise<FilesPlace>;
}

/**
 * Where the path of a folder among some files is among other ones: `""` if all of them are in it, and `undefined` if it is not there.
 */
export async function pathAmong(others: Files, files: Files, folder: string): Promise<string | undefined> {
  if (others === files) return folder;
  const [there, here] = [await placeOf(others), await placeOf(files)];
  if (there === undefined || here === undefined || there.type !== here.type) return undefined;
  if (there.type === "store" && here.type === "store" && there.store !== here.store) return undefined;
  const whole = [here.root, folder].filter((part) => part !== "").join("/");
  if (`${there.root}/`.startsWith(`${whole}/`)) return "";
  return whole.startsWith(`${there.root}/`) ? whole.slice(there.root.length + 1) : undefined;
}

async function placeOf(files: Files): Promise<FilesPlace | undefined> {
  return filesPlace in files ? (files as PlacedFiles)[filesPlace]() : undefined;
}
