import { invalidValue } from "../errors.js";
import { cosine } from "../vector-math.js";
import { compareTexts } from "../vectors/compare-texts.js";
import { invalidVector } from "../vectors/errors.js";

/** An entry with its vector, such as a result of a query with `includeVector: true`. */
export interface GraphNode {
  /** The id of the entry. */
  readonly id: string;
  /** The vector of the entry. */
  readonly vector?: readonly number[];
}

/** Options of a {@link GraphRAG}. */
export interface GraphRAGOptions {
  /** The minimum cosine, from 0 to 1, for two entries to be connected. @default 0.7 */
  readonly threshold?: number | undefined;
  /** The maximum number of iterations; most graphs need fewer. @default 100 */
  readonly randomWalkSteps?: number | undefined;
  /** The probability that a walk restarts at an entry that is similar to the query, above 0 and below 1. @default 0.15 */
  readonly restartProb?: number | undefined;
  /** The dimension that all vectors must have. @default that of the query */
  readonly dimension?: number | undefined;
}

/** A query of a {@link GraphRAG}. */
export interface GraphQuery {
  /** The vector that is searched for. */
  readonly queryVector: readonly number[];
  /** How many entries are returned. @default 10 */
  readonly topK?: number | undefined;
}

/** The walk ends when the ranks change by less than this. */
const precision = 1e-10;

/**
 * Ranks entries by their similarity to a query and by how they are connected: a random walk over the graph of similar entries,
 * which restarts at those that are similar to the query (personalized PageRank). Each query builds a new graph.
 *
 * @example
 * const graph = new GraphRAG({ threshold: 0.7 });
 * const nodes = [{ id: "a", vector: [1, 0] }, { id: "b", vector: [1, 1] }];
 * const ranked = graph.rank(nodes, { queryVector: [1, 0], topK: 1 });
 */
export class GraphRAG {
  readonly #threshold: number;
  readonly #steps: number;
  readonly #restart: number;
  readonly #dimension: number | undefined;

  constructor({ threshold = 0.7, randomWalkSteps = 100, restartProb = 0.15, dimension }: GraphRAGOptions = {}) {
    if (!(threshold >= 0 && threshold <= 1)) throw invalidValue("threshold", "a number from 0 to 1", threshold);
    if (!Number.isInteger(randomWalkSteps) || randomWalkSteps < 1)
      throw invalidValue("randomWalkSteps", "a whole number of at least 1", randomWalkSteps);
    if (!(restartProb > 0 && restartProb < 1))
      throw invalidValue("restartProb", "a number above 0 and below 1", restartProb);
    if (dimension !== undefined && (!Number.isInteger(dimension) || dimension < 1))
      throw invalidValue("dimension", "a whole number of at least 1", dimension);
    this.#threshold = threshold;
    this.#steps = randomWalkSteps;
    this.#restart = restartProb;
    this.#dimension = dimension;
  }

  /** Returns the best entries first. Their `score` is the fraction of the walk spent on them. */
  rank<Node extends GraphNode>(
    nodes: readonly Node[],
    { queryVector, topK = 10 }: GraphQuery,
  ): (Node & { readonly score: number })[] {
    if (!Number.isInteger(topK) || topK < 1) throw invalidValue("topK", "a whole number of at least 1", topK);
    const dimension = this.#dimension ?? queryVector.length;
    const vectors = [queryVector, ...nodes.map(({ vector }) => vector ?? [])];
    for (const [index, vector] of vectors.entries()) {
      const what = index === 0 ? "The query" : `The entry "${nodes[index - 1]?.id}"`;
      if (vector.length !== dimension)
        throw invalidVector(`${what} has a vector of ${vector.length} numbers, not of ${dimension}.`);
      if (!vector.every(Number.isFinite)) throw invalidVector(`${what} has a vector with numbers that are not finite.`);
    }
    const ranks = this.#walk(vectors.slice(1), queryVector);
    return nodes
      .map((node, index) => ({ ...node, score: ranks[index] ?? 0 }))
      .sort((one, other) => other.score - one.score || compareTexts(one.id, other.id))
      .slice(0, topK);
  }

  #walk(vectors: readonly (readonly number[])[], queryVector: readonly number[]): number[] {
    const start = normalised(vectors.map((vector) => Math.max(0, cosine(vector, queryVector))));
    const edges = this.#edges(vectors);
    let ranks = start;
    for (let step = 0; step < this.#steps; step++) {
      const next = this.#step(ranks, start, edges);
      const change = next.reduce((sum, value, index) => sum + Math.abs(value - (ranks[index] ?? 0)), 0);
      ranks = next;
      if (change < precision) break;
    }
    return ranks;
  }

  /** One step of the walk: along an edge, by its weight, or back to the start. Entries without edges lead back to the start. */
  #step(ranks: readonly number[], start: readonly number[], edges: readonly (readonly Edge[])[]): number[] {
    const moving = 1 - this.#restart;
    const next = new Array<number>(ranks.length).fill(0);
    let back = this.#restart;
    for (const [index, rank] of ranks.entries()) {
      const own = edges[index] ?? [];
      if (own.length === 0) back += moving * rank;
      for (const { to, weight } of own) next[to] = (next[to] ?? 0) + moving * rank * weight;
    }
    return next.map((value, index) => value + back * (start[index] ?? 0));
  }

  #edges(vectors: readonly (readonly number[])[]): Edge[][] {
    const edges: Edge[][] = vectors.map(() => []);
    for (const [from, vector] of vectors.entries()) {
      for (let to = from + 1; to < vectors.length; to++) {
        const weight = cosine(vector, vectors[to] ?? []);
        if (weight < this.#threshold || weight <= 0) continue;
        edges[from]?.push({ to, weight });
        edges[to]?.push({ to: from, weight });
      }
    }
    return edges.map((own) => {
      const sum = own.reduce((total, { weight }) => total + weight, 0);
      return own.map(({ to, weight }) => ({ to, weight: weight / sum }));
    });
  }
}

interface Edge {
  readonly to: number;
  readonly weight: number;
}

/** Scales values so that their sum is 1. If all are 0, all become equal. */
function normalised(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => (sum === 0 ? 1 / values.length : value / sum));
}
