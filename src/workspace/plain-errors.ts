import { isConflict } from "../checkpoint/errors.js";
import { messageOf } from "../errors.js";
import type { Files, StoredFile } from "./files.js";

/**
 * Files for tools: what they throw is the failure of a call, which the model reads. Errors of the run's own store end the run, and files
 * may be in such a store too.
 */
export class PlainErrors implements Files {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  read(path: string): Promise<StoredFile | undefined> {
    return plain(async () => this.#files.read(path));
  }

  write(path: string, data: Uint8Array, options?: { readonly ifVersion?: string | undefined }): Promise<string> {
    return plain(async () => this.#files.write(path, data, options));
  }

  async *list(prefix?: string): AsyncGenerator<string, void, undefined> {
    const paths = this.#files.list(prefix)[Symbol.asyncIterator]();
    try {
      for (let next = await plain(() => paths.next()); next.done !== true; next = await plain(() => paths.next()))
        yield next.value;
    } finally {
      await paths.return?.();
    }
  }

  delete(path: string): Promise<void> {
    return plain(async () => this.#files.delete(path));
  }
}

/** A conflict stays what it is: whoever writes with a version waits for it. */
async function plain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isConflict(error) ? error : new Error(messageOf(error), { cause: error });
  }
}
