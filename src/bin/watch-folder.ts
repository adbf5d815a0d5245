import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join, sep } from "node:path";

/** So many folders are watched; there may be more in a package that is not an app. */
const most = 2_000;

/** What an app is made of. Databases and logs, which it writes itself, are not. */
const isSource = (name: string): boolean =>
  /\.([cm]?[jt]sx?|json|md|txt|ya?ml|toml|html|css|sql|graphql|proto|thrift|jinja2?|j2|hbs|mustache|prompt)$/i.test(
    name,
  );

/**
 * Calls `onChange` when a source file in a folder changes, or in one inside it: all but `node_modules`, `dist` and those whose
 * names begin with a dot. Returns a function that ends it.
 */
export function watchFolder(folder: string, onChange: () => void): () => void {
  const failed = ({ message }: Error): void => {
    // a system watches only so many files
    process.stderr.write(`Changes are no longer seen: ${message}\n`);
  };
  if (process.platform !== "linux") {
    const watcher = watch(folder, { recursive: true }, (_event, name) => {
      if (name !== null && isSource(name) && !name.split(sep).some(isIgnored)) onChange();
    });
    watcher.on("error", failed);
    return () => watcher.close();
  }
  // Node.js would look into every folder of node_modules first
  const watchers = new Map<string, FSWatcher>();
  const add = (path: string): void => {
    if (watchers.has(path) || watchers.size >= most) return;
    try {
      const watcher = watch(path, (event, name) => {
        if (name === null || isIgnored(name)) return;
        if (event === "rename") add(join(path, name));
        if (isSource(name)) onChange();
      });
      watcher.on("error", (error) => {
        watchers.delete(path);
        watcher.close();
        if (path === folder) failed(error);
      });
      const inside = readdirSync(path, { withFileTypes: true });
      watchers.set(path, watcher);
      for (const entry of inside) if (entry.isDirectory() && !isIgnored(entry.name)) add(join(path, entry.name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOSPC" || code === "EMFILE") failed(error as Error);
      // else it is a file, or gone again
    }
  };
  add(folder);
  return () => {
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  };
}

const isIgnored = (name: string): boolean => name === "node_modules" || name === "dist" || name.startsWith(".");
