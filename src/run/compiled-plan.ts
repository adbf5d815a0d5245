import type { GraphInfo } from "../callbacks/graph-info.js";
import type {
  ForkOptions,
  HistoryEntry,
  HistoryLimits,
  PruneOptions,
  SavedState,
} from "../checkpoint/history/history-entry.js";
import type { Answers, ResumeOptions, RunOptions } from "../compose/options.js";
import { checkCaches } from "../compose/plan/cache-names.js";
import { type HasNodeDefinition, type NodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { type MermaidOptions, toMermaid } from "../compose/plan/picture/mermaid.js";
import type { Plan } from "../compose/plan/plan.js";
import type { Runnable } from "../compose/runnable.js";
import type { SavedRun, SegmentOptions } from "../compose/segment.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { checkRunOptions, resolveOverrides } from "./options/call-options.js";
import { checkCheckpointOptions, checkControl } from "./options/checkpoint-options.js";
import { Program } from "./program.js";
import { historyOf, runForCollect, runForStream, runForValue, runNested } from "./start.js";

declare const inner: unique symbol;

/**
 * A compiled graph, chain or workflow: run it, nest it, or look at it.
 *
 * @example
 * const app = new Graph<string, string>()
 *   .addNode("shout", (text: string) => text.toUpperCase())
 *   .addEdge(START, "shout")
 *   .addEdge("shout", END)
 *   .compile({ name: "shouter" });
 * console.log(await app.invoke("hello"), app.toMermaid());
 */
export class CompiledPlan<in I, out O, out Inner = unknown> implements Runnable<I, O>, HasNodeDefinition {
  /** The nodes inside, for the paths of the run option `nodes`. Exists only in types. */
  declare readonly [inner]?: Inner;
  readonly [nodeDefinition]: NodeDefinition;
  readonly #plan: Plan;
  readonly #program: Program;

  constructor(plan: Plan) {
    checkCaches(plan);
    this.#plan = plan;
    this.#program = new Program(plan, runNested);
    this[nodeDefinition] = { component: plan.component, type: "", body: { kind: "graph", plan } };
  }

  invoke(input: I, options?: RunOptions): Promise<O> {
    return runForValue(this.#program, "invoke", input, options) as Promise<O>;
  }

  stream(input: I, options?: RunOptions): StreamReader<O> {
    return runForStream(this.#program, "stream", input, options) as StreamReader<O>;
  }

  collect(input: StreamSource<I>, options?: RunOptions): Promise<O> {
    return runForCollect(this.#program, input, options) as Promise<O>;
  }

  transform(input: StreamSource<I>, options?: RunOptions): StreamReader<O> {
    return runForStream(this.#program, "transform", input, options) as StreamReader<O>;
  }

  resume(checkpointId: string, answers?: Answers, options?: ResumeOptions): Promise<O> {
    const resumption = { checkpointId, answers };
    return runForValue(this.#program, "invoke", undefined, options, resumption) as Promise<O>;
  }

  resumeStream(checkpointId: string, answers?: Answers, options?: ResumeOptions): StreamReader<O> {
    const resumption = { checkpointId, answers };
    return runForStream(this.#program, "stream", undefined, options, resumption) as StreamReader<O>;
  }

  async segment(id: string, options?: SegmentOptions<I>): Promise<SavedRun<O>> {
    const { segmentOfGraph } = await import("./saved/segment.js");
    return segmentOfGraph<O>(this, this.#plan, id, options);
  }

  async *history(checkpointId: string, limits?: HistoryLimits): AsyncGenerator<HistoryEntry, void, undefined> {
    yield* (await historyOf(this.#program, "history")).entries(checkpointId, limits);
  }

  async stateAt(checkpointId: string, entry?: string): Promise<SavedState> {
    return (await historyOf(this.#program, "stateAt")).state(checkpointId, entry);
  }

  async fork(checkpointId: string, options?: ForkOptions): Promise<string> {
    return (await historyOf(this.#program, "fork")).fork(checkpointId, options);
  }

  async prune(checkpointId: string, options?: PruneOptions): Promise<number> {
    return (await historyOf(this.#program, "prune")).prune(checkpointId, options);
  }

  async forget(checkpointId: string, options?: { readonly takeover?: boolean | undefined }): Promise<void> {
    return (await historyOf(this.#program, "forget")).forget(checkpointId, options);
  }

  /** Checks the options of a run, without starting one. */
  checkOptions(options: RunOptions): void {
    checkRunOptions(options, this.#program);
    checkControl(options);
    resolveOverrides(options, this.#program);
    checkCheckpointOptions(options, this.#plan);
  }

  /** The parts of the graph as plain data. */
  graphInfo(): GraphInfo {
    return this.#program.info();
  }

  /** The graph as a Mermaid flowchart. */
  toMermaid(options?: MermaidOptions): string {
    return toMermaid(this.graphInfo(), options);
  }
}
