import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import type { Folder } from "./folder.js";

const versions = z.record(z.string(), z.string()).optional().catch(undefined);
const text = z.string().optional().catch(undefined);

/** What we read of a package.json; fields that are not what they should be count as missing. */
const manifestSchema = z.object({
  name: text,
  version: text,
  description: text,
  license: text,
  scripts: versions,
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
});

export type Manifest = z.infer<typeof manifestSchema>;

/** The ways in which one package can ask for another. */
export const dependencyKinds = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "devDependencies",
] as const satisfies readonly (keyof Manifest)[];

export type DependencyKind = (typeof dependencyKinds)[number];

export interface InstalledPackage {
  readonly name: string;
  readonly path: string;
  readonly manifest: Manifest;
}

/** The package.json of the folder itself, or of a package in it; `undefined` when there is none that can be read. */
export async function readManifest(folder: Folder, path: string): Promise<Manifest | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(await folder.locateFile(`${path}/package.json`), "utf8"));
    return manifestSchema.parse(content);
  } catch {
    return undefined;
  }
}

/** Every package below node_modules, also those inside others, as npm, pnpm and yarn lay them out. */
export async function installedPackages(folder: Folder, signal: AbortSignal): Promise<InstalledPackage[]> {
  const found: InstalledPackage[] = [];
  const waiting = ["node_modules"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    signal.throwIfAborted();
    const candidates = await packageFolders(folder, path);
    for (const { path: place } of candidates) waiting.push(`${place}/node_modules`);
    const manifests = await Promise.all(candidates.map((candidate) => readManifest(folder, candidate.path)));
    for (const [index, manifest] of manifests.entries()) {
      const candidate = candidates[index];
      if (manifest !== undefined && candidate !== undefined) found.push({ ...candidate, manifest });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folders of one node_modules that may be packages. */
async function packageFolders(folder: Folder, path: string): Promise<{ name: string; path: string }[]> {
  const names = await folderNames(folder, path);
  const nested = names.map(async (name) => {
    const place = `${path}/${name}`;
    if (name.startsWith("@")) {
      const inner = await folderNames(folder, place);
      return inner.map((part) => ({ name: `${name}/${part}`, path: `${place}/${part}` }));
    }
    if (name === ".pnpm") {
      const stored = await folderNames(folder, place);
      const inner = await Promise.all(stored.map((entry) => packageFolders(folder, `${place}/${entry}/node_modules`)));
      return inner.flat();
    }
    return name.startsWith(".") ? [] : [{ name, path: place }];
  });
  return (await Promise.all(nested)).flat();
}

/** Links are left out: what they lead to is found where it really is, or is not installed but linked. */
async function folderNames(folder: Folder, path: string): Promise<string[]> {
  try {
    const entries = await readdir(await folder.locate(path), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
