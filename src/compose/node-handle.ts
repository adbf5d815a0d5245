/** A reference to a node of one graph (or to one of its ends), as `node`, `start` and `end` give it. */
export class NodeHandle {
  readonly key: string;
  /** Stands for a part of the node's input; only an edge can bring that. */
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
