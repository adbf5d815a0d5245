/** A handle of a node, of START or of END in one graph, as returned by `node`, `start` and `end`. */
export class NodeHandle {
  readonly key: string;
  /** Whether it stands for a part of the node's input, which only an edge can provide. */
  readonly isPart: boolean;
  readonly #graph: object;

  constructor(key: string, graph: object, isPart = false) {
    this.key = key;
    this.isPart = isPart;
    this.#graph = graph;
  }

  get part(): NodeHandle {
    return new NodeHandle(this.key, this.#graph, true);
  }

  belongsTo(graph: object): boolean {
    return this.#graph === graph;
  }
}
