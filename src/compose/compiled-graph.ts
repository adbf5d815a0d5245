import type { GraphInfo } from "../callbacks/graph-info.js";
import type {
  ForkOptions,
  HistoryEntry,
  HistoryLimits,
  PruneOptions,
  SavedState,
} from "../checkpoint/history/history-entry.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { Answers, ResumeOptions, RunOptions } from "./options.js";
import type { MermaidOptions } from "./plan/picture/mermaid.js";
import type { SavedRun, SegmentOptions } from "./segment.js";
import type { NodePaths } from "./types/node-paths.js";
import type { HasInner } from "./types/node-shape.js";

/**
 * The result of `compile()`: a Runnable that knows the paths of its nodes. It is immutable; the builder can be used further.
 *
 * @example
 * const length = new Chain<string>().append((text) => text.length, { key: "count" }).compile();
 * await length.invoke("hello", { nodes: { count: { callbacks: [consoleTracer()] } } });
 */
export interface CompiledGraph<in I, out O, Inner = Record<never, never>> extends HasInner<Inner> {
  /** Runs with one input, and returns the output. */
  readonly invoke: (input: I, options?: RunOptions<NodePaths<Inner>, Inner>) => Promise<O>;
  /** Runs with one input, and streams the output. Nothing runs before the first read. */
  readonly stream: (input: I, options?: RunOptions<NodePaths<Inner>, Inner>) => StreamReader<O>;
  /** Runs with a stream of input chunks, and returns the output. */
  readonly collect: (input: StreamSource<I>, options?: RunOptions<NodePaths<Inner>, Inner>) => Promise<O>;
  /** Runs with a stream of input chunks, and streams the output. */
  readonly transform: (input: StreamSource<I>, options?: RunOptions<NodePaths<Inner>, Inner>) => StreamReader<O>;
  /**
   * Continues a run that stopped. Pass answers by interrupt id (or `{ byAddress: { … } }`) if it waits for any; after a failure or
   * a crash, resume without answers. Needs a store. If it rejects because of the checkpoint or an answer, nothing has run.
   */
  readonly resume: (
    checkpointId: string,
    answers?: Answers,
    options?: ResumeOptions<NodePaths<Inner>, Inner>,
  ) => Promise<O>;
  /** Like `resume`, with a streamed result, however the run was started. */
  readonly resumeStream: (
    checkpointId: string,
    answers?: Answers,
    options?: ResumeOptions<NodePaths<Inner>, Inner>,
  ) => StreamReader<O>;
  /**
   * Drives the run of this id from where it stands to its next pause or end, and resolves to its state: for callers that may come
   * twice, at once, from any process. It starts once, saved work is never repeated, and a finished run is kept. Needs a store.
   *
   * @example
   * const app = new Chain<string>().append((text) => text.trim()).compile({ name: "order", store: memoryStore() });
   * const run = await app.segment("order-7", { input: " 20 boxes " });
   * if (run.status === "finished") console.log(run.output);
   */
  segment(id: string, options?: SegmentOptions<I, NodePaths<Inner>, Inner>): Promise<SavedRun<O>>;
  /**
   * Lists the saves of a run, newest first, also while it runs. Needs the compile option `history`. Throws
   * `CHECKPOINT_UNREADABLE` at an entry that cannot be read.
   *
   * @example
   * const app = new Chain<string>().append((text) => text.trim()).compile({ store: memoryStore(), history: true });
   * await app.invoke(" hello ", { checkpointId: "greeting" });
   * for await (const { id, cause, ran } of app.history("greeting")) console.log(id, cause, ran);
   */
  history(checkpointId: string, limits?: HistoryLimits): AsyncIterable<HistoryEntry>;
  /** Reads the values of a save, by default the newest. Works without a history: with `keepCheckpoint` it returns the last state. */
  stateAt(checkpointId: string, entry?: string): Promise<SavedState>;
  /**
   * Copies a run as it was at an entry, and returns the id of the copy, which `resume` continues. The original may be running, and
   * is not changed. Finished work is not repeated; open questions are asked again.
   */
  fork(checkpointId: string, options?: ForkOptions): Promise<string>;
  /** Deletes old entries of a history and returns how many. Some entries beyond the limits may remain. */
  prune(checkpointId: string, options?: PruneOptions): Promise<number>;
  /** Deletes a checkpoint and its history. For a checkpoint that a run has claimed, `takeover` is needed. */
  forget(checkpointId: string, options?: { readonly takeover?: boolean | undefined }): Promise<void>;
  /** The nodes and edges, nested graphs included, as plain data. */
  graphInfo(): GraphInfo;
  /** Draws a Mermaid flowchart: branches are dashed, error edges dotted, nested graphs are boxes. A trace adds what happened. */
  toMermaid(options?: MermaidOptions): string;
}
