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
  /** Loads only files with these extensions, such as `[".md", ".html"]`. @default all files */
  readonly extensions?: readonly string[] | undefined;
  /** Whether to read subfolders. @default true */
  readonly recursive?: boolean | undefined;
  /** Returns whether to skip a file or folder, given its path relative to the folder. @default skips dotfiles and node_modules */
  readonly ignore?: ((path: string) => boolean) | undefined;
  /** Whether a file that cannot be read fails the call or is skipped. @default "throw" */
  readonly onError?: "throw" | "skip" | undefined;
  /** The maximum size of a file, in bytes. Larger files cannot be loaded. @default 100 MB */
  readonly maxBytes?: number | undefined;
}

const known = ["extensions", "recursive", "ignore", "onError", "maxBytes"];

/**
 * Reads the files of a folder, in the order of their paths. The id of a document is the path of its file. Links that lead out
 * of the folder are skipped.
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
          if (onError === "throw" || ctx?.signal?.aborted) throw error;
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
  /** The path relative to the folder, with forward slashes. */
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
  /** The real paths of folders already read, because links can form cycles. */
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
      const target = await realpath(path).catch(() => undefined); // a broken link
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
