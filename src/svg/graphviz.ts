import type { Viz } from "@viz-js/viz";
import { loadPackage } from "../optional-package.js";

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
  const { instance } = await loadPackage("@viz-js/viz", "toSvg", () => import("@viz-js/viz"));
  return instance();
}

export const graphviz = new Graphviz();
