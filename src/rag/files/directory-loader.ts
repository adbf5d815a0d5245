import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { invalidValue } from "../errors.js";
import { documentFromBytes } from "./document-from-bytes.js";
import { loadFailed } from "./errors.js";
import { checkMaxBytes, readBytes, type SourceLoader } from "./file-loader.js";
import { mimeTypeOf } from "./file-type.js";

/** Options of {@link directoryLoader}. */
export interface DirectoryLoaderOptions {
  /** Only files whose names end so, such as `[".md", ".html"]`. @default all that can be read */
  readonly extensions?: readonly string[] | undefined;
  /** Whether folders in the folder are read too. @default true */
  readonly recursive?: boolean | undefined;
  /** Files and folders to leave out, by their path from the folder. @default those whose names begin with a dot, and node_modules */
  readonly ignore?: ((path: string) => boolean) | undefined;
  /** What a file does that cannot be read: fail all, or be left out. @default "throw" */
  readonly onError?: "throw" | "skip" | undefined;
  /** Larger files are errors. @default 100 MB */
  readonly maxBytes?: number | undefined;
}

const known = ["extensions", "recursive", "ignore", "onError", "maxBytes"];

/**
 * Reads the files of a folder, in the order of their paths. Ids are the path of the folder with that of the file. Links that
 * lead out of the folder are left out.
 *
 * @example
 * const documents = await directoryLoader({ extensions: [".md"] }).load({ uri: "docs" });
 */
export function directoryLoader(options: DirectoryLoaderOptions = {}): SourceLoader {
  const maxBytes = checkMaxBytes("directoryLoader", options, known, 100_000_000);
  const { extensions, recursive = true, ignore = isHidden, onError = "throw" } = options;
  if (onError !== "throw" && onError !== "skip") throw invalidValue("onError", '"throw" or "skip"', onError);
  return {
    component: "loader",
    type: "DirectoryLoader",
    load: async ({ uri }, ctx) => {
      const root = resolve(uri.startsWith("file:") ? fileURLToPath(uri) : uri);
      const files = await new FolderWalk({ recursive, ignore, extensions }).walk(uri, root);
      const documents = [];
      for (const { name, path } of files) {
        const id = `${uri.replace(/\/+$/, "")}/${name}`;
        try {
          const bytes = await readBytes(id, path, { maxBytes, signal: ctx?.signal });
          documents.push(await documentFromBytes({ uri: id, bytes, mimeType: mimeTypeOf(path) }));
        } catch (error) {
          if (onError === "throw" || ctx?.signal.aborted) throw error;
        }
      }
      return documents;
    },
  };
}

function isHidden(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.startsWith(".") || name === "node_modules";
}

interface FoundFile {
  /** From the folder on, with forward slashes. */
  readonly name: string;
  readonly path: string;
}

interface WalkOptions {
  readonly recursive: boolean;
  readonly ignore: (path: string) => boolean;
  readonly extensions: readonly string[] | undefined;
}

class FolderWalk {
  readonly #options: WalkOptions;
  readonly #files: FoundFile[] = [];
  /** Folders that have been read, by their real path: links may lead back. */
  readonly #seen = new Set<string>();

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  async walk(uri: string, root: string): Promise<FoundFile[]> {
    const real = await realpath(root).catch((cause: unknown) => {
      throw loadFailed(uri, "", cause);
    });
    if (!(await stat(real)).isDirectory()) throw loadFailed(uri, "it is not a folder.");
    await this.#read(real, real);
    return this.#files.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async #read(root: string, folder: string): Promise<void> {
    const real = await realpath(folder);
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const fromRoot = relative(root, path).replaceAll(sep, "/");
      if (this.#options.ignore(fromRoot)) continue;
      const target = await realpath(path).catch(() => undefined); // a link that leads nowhere
      if (target === undefined || (target !== root && !target.startsWith(root + sep))) continue;
      const found = await stat(target);
      if (found.isDirectory() && this.#options.recursive) await this.#read(root, path);
      else if (found.isFile() && this.#isWanted(name)) this.#files.push({ name: fromRoot, path: target });
    }
  }

  #isWanted(name: string): boolean {
    const { extensions } = this.#options;
    return extensions === undefined || extensions.some((end) => name.toLowerCase().endsWith(end.toLowerCase()));
  }
}
