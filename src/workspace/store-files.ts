import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { isConflict } from "../checkpoint/errors.js";
import { hasMethod } from "../is.js";
import { shorten } from "../schema/shorten.js";
import { fileChanged, invalidPath, invalidWorkspaceOption } from "./errors.js";
import { filePath, pathPrefix } from "./file-path.js";
import { copyOf, type Files, type FilesPlace, filesPlace, type PlacedFiles, type StoredFile } from "./files.js";

/**
 * Files in a store of checkpoints: `sqliteStore`, `postgresStore` or `memoryStore`. Each is a row under `~files/<prefix>/`. Key and
 * path together have at most 512 characters. Throws `INVALID_OPTION` unless `prefix` has 1 to 256 characters, percent-encoded.
 *
 * @example
 * const files = storeFiles(memoryStore(), "team");
 * await files.write("notes.md", new TextEncoder().encode("Maples turn red."));
 */
export function storeFiles(store: CheckpointStore, prefix: string): Files {
  if (!["get", "put", "delete", "list"].every((name) => hasMethod(store, name)))
    throw invalidWorkspaceOption("storeFiles takes a store, such as memoryStore(), and a prefix.");
  return new StoreFiles(store, rootOf(prefix));
}

function rootOf(prefix: unknown): string {
  const encoded = typeof prefix === "string" ? encoded256(prefix) : undefined;
  if (encoded !== undefined) return `~files/${encoded}/`;
  throw invalidWorkspaceOption(
    `The prefix of storeFiles must be a string of 1 to 256 characters, percent-encoded (got ${shorten(prefix)}).`,
  );
}

function encoded256(text: string): string | undefined {
  try {
    const encoded = encodeURIComponent(text);
    return encoded.length >= 1 && encoded.length <= 256 ? encoded : undefined;
  } catch {
    return undefined; // half of a surrogate pair
  }
}

const longestKey = 512;

class StoreFiles implements PlacedFiles {
  readonly #store: CheckpointStore;
  /** The beginning of all keys. */
  readonly #root: string;

  constructor(store: CheckpointStore, root: string) {
    this.#store = store;
    this.#root = root;
  }

  [filesPlace](): FilesPlace {
    return { type: "store", store: this.#store, root: this.#root.slice(0, -1) };
  }

  async read(path: string): Promise<StoredFile | undefined> {
    const stored = await this.#store.get(this.#keyOf(filePath(path)));
    return stored === undefined || stored === null ? undefined : { data: stored.data, version: String(stored.version) };
  }

  async write(
    path: string,
    data: Uint8Array,
    { ifVersion }: { readonly ifVersion?: string | undefined } = {},
  ): Promise<string> {
    const name = filePath(path);
    const key = this.#keyOf(name);
    const bytes = copyOf(data);
    if (ifVersion !== undefined) return this.#replace(name, key, bytes, ifVersion);
    for (;;) {
      const before = await this.#store.get(key);
      try {
        return String(await this.#store.put(key, bytes, before?.version));
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  async #replace(name: string, key: string, data: Uint8Array, ifVersion: string): Promise<string> {
    if (!/^-?\d+$/.test(ifVersion)) throw fileChanged(name, ifVersion);
    try {
      return String(await this.#store.put(key, data, Number(ifVersion)));
    } catch (error) {
      throw isConflict(error) ? fileChanged(name, ifVersion) : error;
    }
  }

  async *list(prefix = ""): AsyncGenerator<string, void, undefined> {
    const start = `${this.#root}${pathPrefix(prefix)}`;
    for await (const key of this.#store.list(start)) yield key.slice(this.#root.length);
  }

  async delete(path: string): Promise<void> {
    await this.#store.delete(this.#keyOf(filePath(path)));
  }

  #keyOf(path: string): string {
    const key = this.#root + path;
    if (Array.from(key).length > longestKey)
      throw invalidPath(path, `it has more than ${longestKey - this.#root.length} characters`);
    return key;
  }
}
