import type { SourceModule } from "./source-module.js";

/** One line per import that closes a cycle, with the way round. */
export function findCycles(modules: readonly SourceModule[]): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const finished = new Set<string>();
  const way: string[] = [];
  const found: string[] = [];

  const visit = (path: string): void => {
    if (finished.has(path)) return;
    way.push(path);
    for (const { target, line } of byPath.get(path)?.imports ?? []) {
      if (target === undefined) continue;
      const start = way.indexOf(target);
      if (start >= 0) found.push(`${path}:${line} closes a cycle: ${[...way.slice(start), target].join(" → ")}`);
      else visit(target);
    }
    way.pop();
    finished.add(path);
  };
  for (const { path } of modules) visit(path);
  return found;
}
