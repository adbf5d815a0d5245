import { byCodePoint } from "../checkpoint/journal/checkpoint-id.js";
import { KumikoError } from "../errors.js";
import { shorten } from "../schema/shorten.js";
import { fileChanged, fileNotRead, fileNotWritten, invalidPath, invalidWorkspaceOption, reasonOf } from "./errors.js";
import { FileLock } from "./file-lock.js";
import { filePath, folderPath, pathPrefix } from "./file-path.js";
import { copyOf, type Files, type FilesPlace, filesPlace, type PlacedFiles, type StoredFile } from "./files.js";
import { FolderWalk, fileSystem, isAbsent, type OpenedFolder, type Place } from "./opened-folder.js";

/** A file that is read as a whole stands in memory. */
const largestRead = 64 * 1_024 * 1_024;

/**
 * The files of a folder, for Node.js, Bun and Deno. Links are read as long as they stay in the folder, and never written to; nothing
 * that others do to folders and links meanwhile leads out of it. Writes are atomic, in several processes too. The folder is made at the
 * first write. Files of more than 64 MB cannot be read.
 *
 * @example
 * const agent = createAgent({ model, middleware: [workspace({ files: folderFiles("/srv/notes") })] });
 */
export function folderFiles(root: string): Files {
  if (typeof root !== "string" || root === "" || root.includes("\0"))
    throw invalidWorkspaceOption(`The root of folderFiles must be the path of a folder (got ${shorten(root)}).`);
  return new FolderFiles(root);
}

class FolderFiles implements PlacedFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async [filesPlace](): Promise<FilesPlace> {
    const [{ realpath }, { resolve, sep }] = await Promise.all([fileSystem(), import("node:path")]);
    const real = await realpath(this.#root).catch(() => resolve(this.#root));
    return { type: "folder", root: real.replaceAll(sep, "/") };
  }

  async read(path: string): Promise<StoredFile | undefined> {
    const name = systemPath(path);
    try {
      const data = await this.#walk(name, (walk) => readAt(walk, name));
      return data && { data, version: await versionOf(data) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw KumikoError.is(error) ? error : fileNotRead(name, reasonOf(error), error);
    }
  }

  async write(
    path: string,
    data: Uint8Array,
    { ifVersion }: { readonly ifVersion?: string | undefined } = {},
  ): Promise<string> {
    const name = systemPath(path);
    const bytes = copyOf(data);
    try {
      const { mkdir } = await fileSystem();
      if (ifVersion === undefined) await mkdir(this.#root, { recursive: true });
      const written = await this.#walk(name, async (walk) => {
        const place = await walk.find(name.split("/"), { creates: ifVersion === undefined });
        await locked(place, (lock) => replaceAt(walk, place, lock, { name, bytes, ifVersion }));
        return true;
      });
      if (written === undefined) throw fileChanged(name, ifVersion ?? "");
      return await versionOf(bytes);
    } catch (error) {
      if (isAbsent(error) && ifVersion !== undefined) throw fileChanged(name, ifVersion);
      throw KumikoError.is(error) ? error : fileNotWritten(name, reasonOf(error), error);
    }
  }

  async delete(path: string): Promise<void> {
    const name = systemPath(path);
    try {
      await this.#walk(name, async (walk) => {
        const place = await walk.find(name.split("/"));
        const { unlink } = await fileSystem();
        await locked(place, () => unlink(place.path));
      });
    } catch (error) {
      if (isAbsent(error)) return;
      throw KumikoError.is(error) ? error : fileNotWritten(name, reasonOf(error), error);
    }
  }

  async *list(prefix = ""): AsyncGenerator<string, void, undefined> {
    const start = pathPrefix(prefix);
    const folder = start.slice(0, start.lastIndexOf("/") + 1);
    // a prefix is literal: one that is not in the form of paths is that of none
    if (folderPath(folder) !== folder.slice(0, -1)) return;
    const walk = await FolderWalk.start(this.#root, start);
    if (walk === undefined) return;
    try {
      const opened = await walk.enter(folder.split("/").filter((name) => name !== ""));
      if (opened !== undefined) yield* this.#below(walk, opened, folder, start);
    } finally {
      await walk.close();
    }
  }

  async *#below(
    walk: FolderWalk,
    opened: OpenedFolder,
    folder: string,
    prefix: string,
  ): AsyncGenerator<string, void, undefined> {
    const entries = (await walk.entries(opened).catch(() => [])).map(({ name, kind }) => ({
      name,
      kind,
      path: `${folder}${name}${kind === "folder" ? "/" : ""}`,
    }));
    for (const { name, kind, path } of entries.sort((one, other) => byCodePoint(one.path, other.path))) {
      if (!path.startsWith(prefix) || !isUsable(path)) continue;
      if (kind === "file") yield path;
      else if (kind === "link") {
        if (await this.#leadsToFile(path)) yield path;
      } else {
        const inner = await walk.enter([name]).catch(() => undefined);
        if (inner === undefined) continue;
        yield* this.#below(walk, inner, path, prefix);
        await walk.back();
      }
    }
  }

  async #leadsToFile(path: string): Promise<boolean> {
    const found = await this.#walk(path, async (walk) => {
      const place = await walk.find(path.split("/"), { follows: true });
      return (await (await fileSystem()).lstat(place.path)).isFile();
    }).catch(() => false);
    return found === true;
  }

  /** Does something with the folder open; `undefined` if there is none. */
  async #walk<T>(path: string, work: (walk: FolderWalk) => Promise<T>): Promise<T | undefined> {
    const walk = await FolderWalk.start(this.#root, path);
    if (walk === undefined) return undefined;
    try {
      return await work(walk);
    } finally {
      await walk.close();
    }
  }
}

async function readAt(walk: FolderWalk, name: string): Promise<Uint8Array> {
  return readPlace(walk, await walk.find(name.split("/"), { follows: true }), name);
}

async function readPlace(walk: FolderWalk, place: Place, name: string): Promise<Uint8Array> {
  const { open, constants } = await fileSystem();
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  // a pipe would wait for its writer
  const handle = await open(place.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    await walk.check(handle, place);
    const found = await handle.stat();
    if (found.isDirectory()) throw invalidPath(name, "it is a folder");
    if (!found.isFile()) throw fileNotRead(name, "it is not a regular file.");
    if (found.size > largestRead)
      throw fileNotRead(name, `it has ${found.size} bytes, and the limit is ${largestRead}.`);
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}

async function locked(place: Place, work: (lock: FileLock) => Promise<void>): Promise<void> {
  const lock = await FileLock.take(place);
  try {
    await work(lock);
  } finally {
    await lock.release();
  }
}

interface Written {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly ifVersion: string | undefined;
}

/** Writes beside the file, and renames: nobody ever reads a half. */
async function replaceAt(
  walk: FolderWalk,
  place: Place,
  lock: FileLock,
  { name, bytes, ifVersion }: Written,
): Promise<void> {
  const { open, rename, rm, lstat, constants } = await fileSystem();
  const before = await lstat(place.path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (before?.isDirectory() === true) throw invalidPath(name, "it is a folder");
  if (before !== undefined && !before.isFile()) throw fileNotWritten(name, "it is not a regular file.");
  const temporary = place.sibling(lock.temporaryName);
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    try {
      await walk.check(handle, { ...place, name: lock.temporaryName, path: temporary });
      await handle.writeFile(bytes);
      if (before !== undefined) await handle.chmod(before.mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (ifVersion !== undefined) {
      const now = before && (await readPlace(walk, place, name));
      if (now === undefined || (await versionOf(now)) !== ifVersion) throw fileChanged(name, ifVersion);
    }
    if (!(await lock.isHeld()))
      throw fileNotWritten(name, "the process was held up for so long that its lock has ended.");
    await rename(temporary, place.path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A file has the same version as long as it has the same content. */
async function versionOf(data: Uint8Array): Promise<string> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(data).digest("base64url").slice(0, 27);
}

/** Names that Windows reads in another way than they are written: `CON`, `nul .txt`, `a.`, `a:b`, and the short form `LONGNA~1`. */
const windowsNames =
  /[<>:"|?*\p{Cc}]|[. ]$|^(con|prn|aux|nul|conin\$|conout\$|com[\d\u00b9\u00b2\u00b3]|lpt[\d\u00b9\u00b2\u00b3]) *(\.|$)|~\d/iu;

function systemPath(path: string): string {
  const name = filePath(path);
  if (globalThis.process?.platform !== "win32") return name;
  if (name.split("/").some((part) => windowsNames.test(part))) throw invalidPath(path, "Windows does not allow it");
  return name;
}

/** Whether a path that was found is one that can be given. */
function isUsable(path: string): boolean {
  try {
    return filePath(path) === path.replace(/\/$/, "");
  } catch {
    return false;
  }
}
