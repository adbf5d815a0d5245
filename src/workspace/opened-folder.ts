import type { FileHandle } from "node:fs/promises";
import { invalidPath } from "./errors.js";

type FileSystem = typeof import("node:fs/promises") & Pick<typeof import("node:fs"), "constants">;

/** The modules of Node.js: they are loaded where a folder is used. */
export async function fileSystem(): Promise<FileSystem> {
  const [promises, { constants }] = await Promise.all([import("node:fs/promises"), import("node:fs")]);
  return { ...promises, constants };
}

/** A folder that is open, below the root or the root itself. */
export interface OpenedFolder {
  readonly handle: FileHandle;
  /** A path that leads to its entries. */
  readonly at: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link";
}

/** A name in a folder that is open. */
export interface Place {
  readonly name: string;
  /** A path to it. Where the system allows it, it begins at the open folder, whatever happens to the names on the way there. */
  readonly path: string;
  /** The same for another name in the folder. */
  sibling(name: string): string;
}

const mostLinks = 40;

/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/**
 * Opens folders below a root one by one, without following links: what others do to the names meanwhile cannot lead out of it. On
 * Linux, each step begins at the open folder before it (`/proc/self/fd`). Elsewhere it begins at a path, and what was opened is compared
 * with what is there afterwards.
 */
export class FolderWalk {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #root: string;
  readonly #hasDescriptors: boolean;
  readonly #opened: OpenedFolder[] = [];
  /** Every folder that was opened, also those that were left. */
  readonly #handles: FileHandle[] = [];

  private constructor(fs: FileSystem, path: string, root: string, hasDescriptors: boolean) {
    this.#fs = fs;
    this.#path = path;
    this.#root = root;
    this.#hasDescriptors = hasDescriptors;
  }

  /** `path`: for messages. `undefined` if the root is not there. */
  static async start(root: string, path: string): Promise<FolderWalk | undefined> {
    const fs = await fileSystem();
    const real = await fs.realpath(root).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (real === undefined) return undefined;
    const walk = new FolderWalk(fs, path, real, await hasDescriptors(fs));
    try {
      await walk.#enter(real);
    } catch (error) {
      await walk.close();
      throw error;
    }
    return walk;
  }

  async close(): Promise<void> {
    this.#opened.length = 0;
    await Promise.all(this.#handles.splice(0).map((handle) => handle.close()));
  }

  /** The place of a file. With `follows`, links are followed as long as they stay below the root; without it, they are refused. */
  async find(names: readonly string[], { follows = false, creates = false } = {}): Promise<Place> {
    const left = [...names];
    for (let links = 0; ; ) {
      const name = left.shift();
      if (name === undefined) throw invalidPath(this.#path, "it is a folder");
      if (name === "..") {
        await this.#leave();
        continue;
      }
      const target = await this.#linkAt(name);
      if (target !== undefined) {
        if (!follows) throw invalidPath(this.#path, `"${name}" in it is a link, and links are not written to`);
        if (++links > mostLinks) throw invalidPath(this.#path, "it leads through too many links");
        left.unshift(...(await this.#namesOf(target)));
      } else if (left.length === 0) return this.#place(name);
      else await this.#enterNamed(name, creates);
    }
  }

  /** A folder below the root, by its names; `undefined` if it is not there. Links are not followed. */
  async enter(names: readonly string[]): Promise<OpenedFolder | undefined> {
    try {
      for (const name of names) await this.#enterNamed(name, false);
    } catch (error) {
      if (isAbsent(error) || codeOf(error) === "ELOOP") return undefined;
      throw error;
    }
    return this.#here;
  }

  /** The names in a folder. */
  async entries(folder: OpenedFolder): Promise<FolderEntry[]> {
    const found = await this.#fs.readdir(folder.at, { withFileTypes: true });
    return found.flatMap((entry): FolderEntry[] => {
      const { name } = entry;
      if (entry.isSymbolicLink()) return [{ name, kind: "link" }];
      if (entry.isDirectory()) return [{ name, kind: "folder" }];
      return entry.isFile() ? [{ name, kind: "file" }] : [];
    });
  }

  /** Goes back to the folder before, after `enter` of one name. */
  async back(): Promise<void> {
    const left = this.#opened.pop();
    if (left === undefined) return;
    this.#handles.splice(this.#handles.indexOf(left.handle), 1);
    await left.handle.close();
  }

  /** Throws if what was opened by a path is not what is below the root now: the path was changed meanwhile. */
  async check(handle: FileHandle, { name, path }: Place): Promise<void> {
    if (this.#hasDescriptors) return;
    const { dirname, join, sep } = await import("node:path");
    const real = join(await this.#fs.realpath(dirname(path)), name);
    const [now, opened] = [await this.#fs.lstat(real, { bigint: true }), await handle.stat({ bigint: true })];
    const isBelow = real.startsWith(this.#root + sep);
    if (!isBelow || now.ino !== opened.ino || now.dev !== opened.dev)
      throw invalidPath(this.#path, "folders on its way were replaced while it was opened");
  }

  get #here(): OpenedFolder {
    const folder = this.#opened.at(-1);
    if (folder === undefined) throw new Error("The walk is over.");
    return folder;
  }

  #place(name: string): Place {
    const { at } = this.#here;
    return { name, path: `${at}/${name}`, sibling: (other) => `${at}/${other}` };
  }

  async #enterNamed(name: string, creates: boolean): Promise<void> {
    const path = `${this.#here.at}/${name}`;
    try {
      await this.#enter(path);
    } catch (error) {
      if (!creates || codeOf(error) !== "ENOENT") throw error;
      await this.#fs.mkdir(path).catch((failed: unknown) => {
        if (codeOf(failed) !== "EEXIST") throw failed;
      });
      await this.#enter(path);
    }
  }

  async #enter(path: string): Promise<void> {
    const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = this.#fs.constants;
    // where the system has no such flag, the path is looked at first, and again once a file is open
    if (O_NOFOLLOW === 0 && (await this.#fs.lstat(path)).isSymbolicLink()) throw linkInPath(path);
    const handle = await this.#fs.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#handles.push(handle);
    this.#opened.push({ handle, at: this.#hasDescriptors ? `/proc/self/fd/${handle.fd}` : path });
  }

  async #leave(): Promise<void> {
    if (this.#opened.length === 1) throw this.#leadsOut();
    await this.back();
  }

  async #linkAt(name: string): Promise<string | undefined> {
    try {
      return await this.#fs.readlink(`${this.#here.at}/${name}`);
    } catch (error) {
      const code = codeOf(error);
      // EINVAL: it is there, and no link; UNKNOWN is what Windows says then
      if (code === "EINVAL" || code === "UNKNOWN" || isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** The names that a link leads along. An absolute one begins at the root again. */
  async #namesOf(target: string): Promise<string[]> {
    const { isAbsolute, relative, sep } = await import("node:path");
    let way = target;
    if (isAbsolute(target)) {
      way = relative(this.#root, target);
      if (isAbsolute(way)) throw this.#leadsOut();
      while (this.#opened.length > 1) await this.back();
    }
    return way.split(sep === "/" ? sep : /[/\\]/).filter((name) => name !== "" && name !== ".");
  }

  #leadsOut(): Error {
    return invalidPath(this.#path, "a link in it leads out of the folder");
  }
}

/** Whether something is not there, or something before it is a file. */
export function isAbsent(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function linkInPath(path: string): Error {
  return Object.assign(new Error(`"${path}" is a link.`), { code: "ELOOP" });
}

/** Whether paths can begin at a folder that is open. */
async function hasDescriptors(fs: FileSystem): Promise<boolean> {
  if (globalThis.process?.platform !== "linux") return false;
  return fs.access("/proc/self/fd").then(
    () => true,
    () => false,
  );
}
