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
import type { GraphInfo } from "./plan/describe.js";
import type { MermaidOptions } from "./plan/picture/mermaid.js";
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
  /**
   * The saves of a run under `checkpointId`, newest first, also while it runs. Needs `history` at compile; what cannot be read
   * ends it with `CHECKPOINT_UNREADABLE`.
   *
   * @example
   * const app = new Chain<string>().append((text) => text.trim()).compile({ store: memoryStore(), history: true });
   * await app.invoke(" hello ", { checkpointId: "greeting" });
   * for await (const { id, cause, ran } of app.history("greeting")) console.log(id, cause, ran);
   */
  history(checkpointId: string, limits?: HistoryLimits): AsyncIterable<HistoryEntry>;
  /** What a save holds, the newest if none is named. Needs no history: with `keepCheckpoint` it gives the last state. */
  stateAt(checkpointId: string, entry?: string): Promise<SavedState>;
  /**
   * Copies a run as it was at an entry, and gives the id of the copy: `resume` goes on with it. The original may be running, and
   * stays as it is. Finished work stays finished; open questions are asked again.
   */
  fork(checkpointId: string, options?: ForkOptions): Promise<string>;
  /** Deletes old entries of a history; gives how many. Some more than asked for may stay. */
  prune(checkpointId: string, options?: PruneOptions): Promise<number>;
  /** Deletes a checkpoint and its history. One that a run has claimed needs `takeover`. */
  forget(checkpointId: string, options?: { readonly takeover?: boolean | undefined }): Promise<void>;
  /** The nodes and edges, nested graphs included, as plain data. */
  graphInfo(): GraphInfo;
  /** A Mermaid flowchart: branches are dashed, edges of errors dotted, nested graphs are boxes. With a trace, what happened. */
  toMermaid(options?: MermaidOptions): string;
}
