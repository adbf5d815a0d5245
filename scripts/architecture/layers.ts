import type { SourceModule } from "./source-module.js";

/** From the bottom up: a file may import files of its own layer and of those before it. */
const order = [
  "errors",
  "words",
  "schema",
  "callbacks",
  "components",
  "tool definitions",
  "model shapes",
  "contracts",
  "plan",
  "checkpoint",
  "run",
  "tools node",
  "model adapters",
  "builders",
  "models",
  "templates",
  "agents",
  "ui",
  "otel",
  "rag",
  "search",
  "evals",
  "layout",
  "svg",
  "mcp",
  "mastra",
  "durable",
  "bullmq",
  "stores",
  "workspace",
  "viewer",
  "testing",
  "bin",
] as const;
type Layer = (typeof order)[number];
const isAbove = (layer: Layer, other: Layer): boolean => order.indexOf(layer) > order.indexOf(other);

/** Files of `compose/` that are builders whatever they import; every other one is when it imports plan/, run/ or tools/node/. */
const builderFiles = ["graph", "chain", "workflow"].map((name) => `src/compose/${name}.ts`);
/**
 * What everything may use: the class of all errors, how options are checked, how values are told apart, named and disposed of, and
 * how optional packages are loaded.
 */
const bottomFiles = [
  "src/async-disposal.ts",
  "src/check-options.ts",
  "src/errors.ts",
  "src/is.ts",
  "src/nearest-names.ts",
  "src/optional-package.ts",
  "src/wording.ts",
];
/** Contracts that stand in the folder of what fulfils them: options of a run, of `compile` and of a runtime name them. */
const contractFiles = [
  "src/tools/node/options.ts",
  "src/checkpoint/checkpoint-store.ts",
  "src/checkpoint/pause/interrupt.ts",
  "src/checkpoint/runs/run-index.ts",
  "src/checkpoint/values/class-codec.ts",
];

/** Imports that point up or sideways. An `index.ts` is an entry: it may list the names of any file. */
export function findWrongArrows(modules: readonly SourceModule[]): string[] {
  const layers = new LayerMap(modules);
  return modules.flatMap((module) => {
    const from = layers.get(module.path);
    if (from === undefined)
      return [`${module.path}:1 is in no known layer; add its folder to scripts/architecture/layers.ts`];
    if (from === "entry") return [];
    return module.imports.flatMap(({ target, line }) => {
      if (target === undefined) return [];
      const to = layers.get(target);
      if (to === undefined || to === "entry" || !isAbove(to, from)) return [];
      return [`${module.path}:${line} imports ${target}: ${from} may not import ${to}`];
    });
  });
}

/**
 * Tells the contracts of `compose/` (options, the Runnable interface: what everything there speaks) from its builders, and in
 * `models/` what adapts a model (builders take models of the AI SDK) from what is built of graphs and runs. A contract imports
 * nothing but contracts and what stands below `compose/`.
 */
class LayerMap {
  readonly #modules: ReadonlyMap<string, SourceModule>;
  readonly #found = new Map<string, Layer | "entry" | undefined>();

  constructor(modules: readonly SourceModule[]) {
    this.#modules = new Map(modules.map((module) => [module.path, module]));
  }

  get(path: string): Layer | "entry" | undefined {
    if (!this.#found.has(path)) {
      this.#found.set(path, "contracts"); // what a file in a cycle sees of itself
      this.#found.set(path, this.#find(path));
    }
    return this.#found.get(path);
  }

  #find(path: string): Layer | "entry" | undefined {
    if (path.endsWith("/index.ts")) return "entry";
    if (bottomFiles.includes(path)) return "errors";
    if (contractFiles.includes(path)) return "contracts";
    const [top, name, inner] = path.split("/").slice(1);
    if (top === "tools") return name === "node" ? "tools node" : "tool definitions";
    if (top === "models") {
      if (this.#importsAbove(path, "model adapters")) return "models";
      return this.#importsAbove(path, "model shapes") ? "model adapters" : "model shapes";
    }
    // pictures and the viewer draw a graph alike
    if (top === "viewer" && name === "layout") return "layout";
    if (top !== "compose") return topFolders.find((layer) => layer === top);
    if (inner !== undefined && name === "plan") return "plan";
    return builderFiles.includes(path) || this.#importsAbove(path, "contracts") ? "builders" : "contracts";
  }

  #importsAbove(path: string, floor: Layer): boolean {
    const imports = this.#modules.get(path)?.imports ?? [];
    return imports.some(({ target }) => {
      const layer = target === undefined ? undefined : this.get(target);
      return layer !== undefined && layer !== "entry" && isAbove(layer, floor);
    });
  }
}

const topFolders = [
  "words",
  "schema",
  "callbacks",
  "components",
  "checkpoint",
  "run",
  "models",
  "templates",
  "agents",
  "ui",
  "otel",
  "rag",
  "search",
  "evals",
  "svg",
  "mcp",
  "mastra",
  "durable",
  "bullmq",
  "stores",
  "workspace",
  "viewer",
  "testing",
  "bin",
] as const;
