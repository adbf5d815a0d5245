import { createTool } from "kumiko";
import { z } from "zod";
import { folderOf } from "../files/folder.js";
import { dependencyKinds, installedPackages, readManifest } from "../files/installed-packages.js";

export const packageInfo = createTool({
  id: "package_info",
  description: "Tells what a package.json says: version, license, scripts and dependencies.",
  inputSchema: z.object({
    name: z.string().optional().describe("An installed package; without it, the project in the folder itself."),
  }),
  outputSchema: z.object({
    name: z.string(),
    version: z.string(),
    otherVersions: z.array(z.string()).describe("Versions that are installed besides."),
    path: z.string(),
    description: z.string(),
    license: z.string(),
    scripts: z.record(z.string(), z.string()),
    dependencies: z.array(z.object({ name: z.string(), range: z.string(), kind: z.enum(dependencyKinds) })),
  }),
  execute: async ({ name }, ctx) => {
    const folder = folderOf(ctx);
    const project = await readManifest(folder, ".");
    const [found, ...others] =
      project !== undefined && (name === undefined || name === project.name)
        ? [{ name: "this project", path: ".", manifest: project }]
        : (await installedPackages(folder, ctx.signal)).filter((each) => each.name === name);
    if (found === undefined) {
      throw new Error(
        name === undefined ? "The folder has no package.json that can be read." : `No package "${name}" is installed.`,
      );
    }
    const { manifest, path } = found;
    return {
      name: manifest.name ?? found.name,
      version: manifest.version ?? "",
      otherVersions: others.map((other) => other.manifest.version ?? "unknown"),
      path,
      description: manifest.description ?? "",
      license: manifest.license ?? "",
      scripts: manifest.scripts ?? {},
      dependencies: dependencyKinds.flatMap((kind) =>
        kind === "devDependencies" && path !== "."
          ? []
          : Object.entries(manifest[kind] ?? {}).map(([dependency, range]) => ({ name: dependency, range, kind })),
      ),
    };
  },
});
