import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { Answers, ResumeOptions, RunOptions } from "./options.js";
import type { GraphInfo } from "./plan/describe.js";
import type { NodePaths } from "./types/node-paths.js";
import type { HasInner } from "./types/node-shape.js";

/**
 * What `compile()` gives: a Runnable that knows the paths of its nodes. It never changes; the builder may go on.
 *
 * @example
 * const length = new Chain<string>().append((text) => text.length, { key: "count" }).compile();
 * await length.invoke("hello", { nodes: { count: { callbacks: [consoleTracer()] } } });
 */
export interface CompiledGraph<in I, out O, Inner = Record<never, never>> extends HasInner<Inner> {
  readonly invoke: (input: I, options?: RunOptions<NodePaths<Inner>, Inner>) => Promise<O>;
  readonly stream: (input: I, options?: RunOptions<NodePaths<Inner>, Inner>) => StreamReader<O>;
  readonly collect: (input: StreamSource<I>, options?: RunOptions<NodePaths<Inner>, Inner>) => Promise<O>;
  readonly transform: (input: StreamSource<I>, options?: RunOptions<NodePaths<Inner>, Inner>) => StreamReader<O>;
  /**
   * Goes on with a run that stopped: where it waits, answered by interrupt id (or `{ byAddress: { … } }`); after a failure
   * or a crash, without answers. Needs a store. Nothing has run when it rejects because of the checkpoint or an answer.
   */
  readonly resume: (
    checkpointId: string,
    answers?: Answers,
    options?: ResumeOptions<NodePaths<Inner>, Inner>,
  ) => Promise<O>;
  /** The same, with a streamed result. How the run was started does not matter. */
  readonly resumeStream: (
    checkpointId: string,
    answers?: Answers,
    options?: ResumeOptions<NodePaths<Inner>, Inner>,
  ) => StreamReader<O>;
  /** The nodes and edges, nested graphs included, as plain data. */
  graphInfo(): GraphInfo;
  /** A Mermaid flowchart: branches are dashed, nested graphs are boxes. */
  toMermaid(): string;
}
