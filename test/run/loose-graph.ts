import { type CompiledGraph, END, Graph, START } from "kumiko";

/** The builder, without its types. */
export interface LooseGraph {
  addNode(key: string, node: unknown, options?: object): LooseGraph;
  addEdge(from: string, to: string): LooseGraph;
  addBranch(from: string, targets: readonly string[], choose: (value: never, ctx: never) => unknown): LooseGraph;
  addStreamBranch(from: string, targets: readonly string[], choose: (stream: never, ctx: never) => unknown): LooseGraph;
  compile(options: object): CompiledGraph<never, unknown>;
}

/** A graph whose nodes may have state handlers. */
export const looseGraph = (): LooseGraph => new Graph<never, unknown>().withState(() => ({})) as unknown as LooseGraph;

export type NodeEntry = readonly [key: string, node: unknown, options?: object];

/** START → nodes, one after the other → END. */
export function lineOf(...nodes: readonly NodeEntry[]): LooseGraph {
  const graph = looseGraph();
  let from: string = START;
  for (const [key, node, options] of nodes) {
    graph.addNode(key, node, options).addEdge(from, key);
    from = key;
  }
  return graph.addEdge(from, END);
}
