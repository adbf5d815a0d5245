import { access, constants, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { contextKey, type NodeContext } from "kumiko";
import { fileError } from "./file-error.js";
import { FileWalk, type WalkOptions } from "./file-walk.js";

/** How tools reach the folder of a run: it travels in the request context, so that tools stay plain constants. */
export const folderKey = contextKey<Folder>("folder");

export function folderOf({ requestContext }: NodeContext): Folder {
  const folder = requestContext.get(folderKey);
  if (folder === undefined) throw new Error("This tool needs a folder in the request context.");
  return folder;
}

/** The one folder that tools may look into. Paths are relative to it, with forward slashes, and never lead out of it. */
export class Folder {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Rejects with a message for the user when this is no folder that can be read. */
  static async open(path: string): Promise<Folder> {
    try {
      const root = await realpath(path);
      if (!(await stat(root)).isDirectory()) throw new Error(`"${path}" is a file, and not a folder.`);
      await readdir(root);
      return new Folder(root);
    } catch (error) {
      throw fileError(error, path, "folder ");
    }
  }

  /** The real place of a path, also behind symbolic links. */
  async locate(path: string): Promise<string> {
    const wanted = resolve(this.root, path);
    if (!this.#contains(wanted)) throw outside(path);
    try {
      const real = await realpath(wanted);
      if (!this.#contains(real)) throw outside(path);
      return real;
    } catch (error) {
      throw fileError(error, path);
    }
  }

  /** The real place of a file that can be read. */
  async locateFile(path: string): Promise<string> {
    const place = await this.locate(path);
    const stats = await stat(place);
    if (stats.isDirectory()) throw new Error(`"${path}" is a folder, and not a file.`);
    if (!stats.isFile()) throw new Error(`"${path}" is not a regular file.`);
    try {
      await access(place, constants.R_OK);
    } catch (error) {
      throw fileError(error, path);
    }
    return place;
  }

  /** Rejects when something of this path is here, and may not be read. */
  async check(path: string): Promise<void> {
    const place = await this.locate(path).catch(() => undefined);
    if (place === undefined) return;
    await access(place, constants.R_OK).catch((error: unknown) => {
      throw fileError(error, path);
    });
  }

  /** The files below a folder of this one. Symbolic links are not followed. */
  async walk(under: string, options: WalkOptions): Promise<FileWalk> {
    const place = await this.locate(under);
    if (!(await stat(place)).isDirectory()) throw new Error(`"${under}" is a file, and not a folder.`);
    return new FileWalk(place, (path) => this.pathOf(path), options);
  }

  /** The path by which users and models know a place. */
  pathOf(place: string): string {
    const path = relative(this.root, place);
    return path === "" ? "." : path.split(sep).join("/");
  }

  #contains(place: string): boolean {
    const path = relative(this.root, place);
    return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  }
}

function outside(path: string): Error {
  return new Error(`"${path}" is outside of the folder, where nothing may be read.`);
}
