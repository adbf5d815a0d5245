import { randomId } from "../callbacks/random-id.js";
import type { NodeStop, RunSnapshot } from "../checkpoint/document/snapshot.js";
import type { Ready } from "./readiness.js";
import type { Run } from "./run.js";

/** The `interruptBefore` and `interruptAfter` of a graph, in one run. */
export class NodeStops {
  /** Where the run stops, until that is answered. */
  stop: NodeStop | undefined = undefined;
  readonly #run: Run;
  /** Stops that the run has passed; they are not made again if this step is repeated after a crash. */
  #passed: Set<string> | undefined = undefined;
  /** The answered stops from which the run is being resumed. */
  #resumedStops: string[] = [];

  private constructor(run: Run, from: RunSnapshot | undefined) {
    this.#run = run;
    if (from === undefined) return;
    const { passed, stop } = from;
    if (passed.length > 0) this.#passed = new Set(passed);
    if (stop?.answer === undefined) {
      this.stop = stop;
      return;
    }
    for (const key of stop.before) this.#resumedStops.push(`before:${key}`);
    for (const key of stop.after) this.#resumedStops.push(`after:${key}`);
  }

  /** `undefined` if the graph was compiled without stops and the run is not resumed from one. */
  static of(run: Run, from: RunSnapshot | undefined): NodeStops | undefined {
    const { interruptBefore, interruptAfter } = run.program.plan;
    const stopsHere = (interruptBefore ?? interruptAfter) !== undefined;
    return stopsHere || from?.stop !== undefined ? new NodeStops(run, from) : undefined;
  }

  get passed(): readonly string[] {
    return this.#passed === undefined ? [] : [...this.#passed];
  }

  /** Sets {@link stop} if there is a stop after the ended nodes or before the ready ones that the run has not passed. */
  check(ended: readonly number[], ready: readonly Ready[]): void {
    const { interruptBefore, interruptAfter } = this.#run.program.plan;
    this.#passed ??= new Set();
    for (const name of this.#resumedStops) this.#passed.add(this.#nameOf(name));
    this.#resumedStops = [];
    for (const name of this.#passed) if (!name.startsWith(this.#nameOf(""))) this.#passed.delete(name);
    const after = this.#hits(ended, interruptAfter, "after");
    const targets = ready.map(({ target }) => target);
    const before = this.#hits(targets, interruptBefore, "before");
    if (before.length === 0 && after.length === 0) return;
    const { stop } = this;
    this.stop = {
      id: stop?.id ?? randomId(),
      before: [...(stop?.before ?? []), ...before],
      after: [...(stop?.after ?? []), ...after],
      answer: undefined,
    };
  }

  #hits(nodes: readonly number[], listed: ReadonlySet<number> | undefined, when: string): string[] {
    if (listed === undefined) return [];
    const keys = nodes.filter((node) => listed.has(node)).map((node) => this.#run.program.keys[node] ?? "");
    return keys.filter((key) => this.#passed?.has(this.#nameOf(`${when}:${key}`)) !== true);
  }

  /** Names include the step: the same stop in a later step is another one. */
  #nameOf(stop: string): string {
    return `${this.#run.steps} ${stop}`;
  }
}
