import { createTool } from "kumiko";
import { z } from "zod";
import { type Folder, folderOf } from "../files/folder.js";
import {
  dependencyKinds,
  type InstalledPackage,
  installedPackages,
  readManifest,
} from "../files/installed-packages.js";

export const largestPackages = createTool({
  id: "largest_packages",
  description: "Says which packages in node_modules take most space, each without the packages inside it.",
  inputSchema: z.object({ limit: z.int().min(1).max(50).default(5) }),
  outputSchema: z.object({
    packages: z.array(
      z.object({
        name: z.string(),
        version: z.string(),
        path: z.string(),
        bytes: z.number(),
        files: z.number(),
        listedAs: z
          .enum(dependencyKinds)
          .optional()
          .describe("Where the folder's own package.json lists it, if it does."),
      }),
    ),
    installed: z.number().describe("How many packages are installed."),
    bytes: z.number().describe("What all of them take."),
  }),
  execute: async ({ limit }, ctx) => {
    const folder = folderOf(ctx);
    const project = await readManifest(folder, ".");
    const packages = await installedPackages(folder, ctx.signal);
    const sizes = new Map(packages.map(({ path }) => [path, { bytes: 0, files: 0 }]));
    const skip = new Set(["node_modules"]);
    let done = 0;
    for (const { path } of packages) {
      const size = sizes.get(path) ?? { bytes: 0, files: 0 };
      for await (const { bytes } of await folder.walk(path, { signal: ctx.signal, skip })) {
        size.bytes += bytes;
        size.files += 1;
      }
      done += 1;
      if (done % 100 === 0) ctx.progress(`${done} of ${packages.length} packages measured`);
    }
    const kindOf = (name: string) => dependencyKinds.find((kind) => project?.[kind]?.[name] !== undefined);
    const ownPaths = await topLevel(folder, packages);
    const measured = packages.map(({ name, path, manifest }) => ({
      name,
      version: manifest.version ?? "",
      path,
      ...(sizes.get(path) ?? { bytes: 0, files: 0 }),
      listedAs: ownPaths.has(path) ? kindOf(name) : undefined,
    }));
    return {
      packages: measured.sort((a, b) => b.bytes - a.bytes).slice(0, limit),
      installed: packages.length,
      bytes: measured.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  },
});

/** The packages that the project itself sees: others of the same name are inside other packages. */
async function topLevel(folder: Folder, packages: readonly InstalledPackage[]): Promise<Set<string>> {
  const names = new Set(packages.map(({ name }) => name));
  const places = [...names].map((name) => folder.locate(`node_modules/${name}`).catch(() => undefined));
  const found = await Promise.all(places);
  return new Set(found.flatMap((place) => (place === undefined ? [] : [folder.pathOf(place)])));
}
