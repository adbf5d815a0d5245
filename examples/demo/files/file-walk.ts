import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** Folders by these names are left out. @default none */
  readonly skip?: ReadonlySet<string> | undefined;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** What is big, and not the work of the people whose folder it is. */
export const dependencyFolders: ReadonlySet<string> = new Set(["node_modules", ".git"]);

const MAX_FILES = 500_000;

/** The regular files below a folder, in a stable order. */
export class FileWalk implements AsyncIterable<FoundFile> {
  /** Folders and files that could not be read, so far. */
  unreadable = 0;
  /** Whether there are more files than anybody wants to wait for. */
  incomplete = false;
  readonly #start: string;
  readonly #pathOf: (place: string) => string;
  readonly #options: WalkOptions;

  constructor(start: string, pathOf: (place: string) => string, options: WalkOptions) {
    this.#start = start;
    this.#pathOf = pathOf;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FoundFile> {
    const { signal, skip } = this.#options;
    const waiting = [this.#start];
    let count = 0;
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      signal.throwIfAborted();
      const place = folder;
      const entries = await this.#entriesOf(place);
      const inner = entries.filter((entry) => entry.isDirectory() && !skip?.has(entry.name));
      waiting.push(...inner.map(({ name }) => join(place, name)).reverse());
      const files = await Promise.all(
        entries.filter((entry) => entry.isFile()).map(({ name }) => this.#look(join(place, name))),
      );
      for (const file of files) {
        if (file === undefined) continue;
        count += 1;
        if (count > MAX_FILES) {
          this.incomplete = true;
          return;
        }
        yield file;
      }
    }
  }

  async #entriesOf(place: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(place, { withFileTypes: true });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch {
      this.unreadable += 1;
      return [];
    }
  }

  async #look(place: string): Promise<FoundFile | undefined> {
    try {
      const { size, mtime } = await lstat(place);
      return { path: this.#pathOf(place), bytes: size, modifiedAt: mtime };
    } catch {
      this.unreadable += 1; // deleted while we looked
      return undefined;
    }
  }
}
