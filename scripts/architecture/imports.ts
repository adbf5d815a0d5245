import { isBuiltin } from "node:module";
import type { ImportSite, SourceModule } from "./source-module.js";

/** Relative imports that do not name an existing `.ts` file by its `.js` name. */
export function findUnresolvedImports(modules: readonly SourceModule[]): string[] {
  const known = new Set(modules.map(({ path }) => path));
  return findImports(modules, ({ specifier, target }) =>
    target !== undefined && (!known.has(target) || !specifier.endsWith(".js"))
      ? `imports "${specifier}": no such file, or its ending is not .js`
      : undefined,
  );
}

export function findIndexImports(modules: readonly SourceModule[]): string[] {
  return findImports(modules, ({ target }) =>
    target !== undefined && /(^|\/)index\.ts$/.test(target)
      ? `imports ${target}: import the file that declares the name`
      : undefined,
  );
}

/** Built-in modules of Node.js, and these packages, that the file `entry` reaches, type-only and dynamic imports included. */
export function findPlatformImports(
  modules: readonly SourceModule[],
  entry: string,
  packages: readonly string[],
): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  if (!byPath.has(entry)) return [`${entry}:1 is missing`];
  const reached = new Set([entry]);
  for (const path of reached) {
    for (const { target } of byPath.get(path)?.imports ?? []) if (target !== undefined) reached.add(target);
  }
  return findImports(
    modules.filter(({ path }) => reached.has(path)),
    ({ specifier, target }) =>
      target === undefined && (isBuiltin(specifier) || packages.includes(packageName(specifier)))
        ? `imports "${specifier}", and ${entry} reaches it`
        : undefined,
  );
}

/** Packages that more than one file imports. */
export function findSharedPackages(modules: readonly SourceModule[]): string[] {
  const sites = new Map<string, string>();
  return findImports(modules, ({ specifier, target }, { path }) => {
    if (target !== undefined || isBuiltin(specifier)) return undefined;
    const name = packageName(specifier);
    const first = sites.get(name) ?? path;
    sites.set(name, first);
    return first === path
      ? undefined
      : `imports "${name}", which ${first} imports already: a package has one import site`;
  });
}

/** Imported packages that are not in `declared`. */
export function findUndeclaredPackages(modules: readonly SourceModule[], declared: readonly string[]): string[] {
  return findImports(modules, ({ specifier, target }) => {
    if (target !== undefined || isBuiltin(specifier) || declared.includes(packageName(specifier))) return undefined;
    return `imports "${packageName(specifier)}", which is no dependency in package.json`;
  });
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function findImports(
  modules: readonly SourceModule[],
  judge: (site: ImportSite, module: SourceModule) => string | undefined,
): string[] {
  return modules.flatMap((module) =>
    module.imports.flatMap((site) => {
      const problem = judge(site, module);
      return problem === undefined ? [] : [`${module.path}:${site.line} ${problem}`];
    }),
  );
}
