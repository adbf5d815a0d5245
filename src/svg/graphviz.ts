import type { Viz } from "@viz-js/viz";
import { vizPackageMissing } from "./errors.js";

/** Graphviz as WebAssembly, loaded for the first picture and reused. */
class Graphviz {
  #loading: Promise<Viz> | undefined = undefined;

  async render(dot: string): Promise<string> {
    this.#loading ??= load();
    try {
      const viz = await this.#loading;
      return viz.renderString(dot, { format: "svg", engine: "dot" });
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

async function load(): Promise<Viz> {
  return (await loadPackage()).instance();
}

async function loadPackage() {
  try {
    return await import("@viz-js/viz");
  } catch (cause) {
    throw vizPackageMissing(cause);
  }
}

export const graphviz = new Graphviz();
