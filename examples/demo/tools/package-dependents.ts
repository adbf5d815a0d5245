import { createTool } from "kumiko";
import { z } from "zod";
import { folderOf } from "../files/folder.js";
import {
  dependencyKinds,
  type InstalledPackage,
  installedPackages,
  readManifest,
} from "../files/installed-packages.js";

const dependent = z.object({ name: z.string(), range: z.string(), kind: z.enum(dependencyKinds) });

type Dependent = z.infer<typeof dependent>;

const report = z.object({
  packages: z.array(
    z.object({
      name: z.string(),
      versions: z.array(z.string()).describe("The versions that are installed; none: it is not."),
      dependents: z.array(dependent),
    }),
  ),
  installed: z.number().describe("How many packages are installed."),
});

export type DependentsReport = z.infer<typeof report>;

export const packageDependents = createTool({
  id: "package_dependents",
  description: "Says which installed packages, and whether the project itself, depend on a package, and in which way.",
  inputSchema: z.object({
    packages: z.array(z.string()).max(20).optional().describe("Names. Without them, the most depended on are told."),
    limit: z.int().min(1).max(50).default(5).describe("How many of the most depended on."),
  }),
  outputSchema: report,
  execute: async ({ packages: names, limit }, ctx) => {
    const folder = folderOf(ctx);
    const installed = await installedPackages(folder, ctx.signal);
    const manifest = await readManifest(folder, ".");
    const project = manifest && { name: "this project", path: ".", manifest };
    const dependents = dependentsByName(project === undefined ? installed : [project, ...installed]);
    const wanted = names ?? mostDependedOn(dependents).slice(0, limit);
    return {
      packages: wanted.map((name) => ({
        name,
        versions: installed.filter((each) => each.name === name).map((each) => each.manifest.version ?? "unknown"),
        dependents: dependents.get(name) ?? [],
      })),
      installed: installed.length,
    };
  },
});

function dependentsByName(packages: readonly InstalledPackage[]): Map<string, Dependent[]> {
  const dependents = new Map<string, Dependent[]>();
  for (const { name: from, path, manifest } of packages) {
    for (const kind of dependencyKinds) {
      // only the project's own development dependencies are installed
      if (kind === "devDependencies" && path !== ".") continue;
      for (const [name, range] of Object.entries(manifest[kind] ?? {})) {
        const list = dependents.get(name) ?? [];
        dependents.set(name, list);
        if (!list.some((each) => each.name === from)) list.push({ name: from, range, kind });
      }
    }
  }
  return dependents;
}

function mostDependedOn(dependents: ReadonlyMap<string, readonly Dependent[]>): string[] {
  return [...dependents].sort(([, a], [, b]) => b.length - a.length).map(([name]) => name);
}
