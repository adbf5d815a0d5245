import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import { readDocument } from "../../checkpoint/document/read-document.js";
import { readRow } from "../../checkpoint/journal/store-calls.js";
import { interruptsOf } from "../../checkpoint/pause/interrupts-of.js";
import { changeHead, cleared } from "../../checkpoint/runs/change-head.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import { RequestContext } from "../../components/request-context.js";
import type { Answers, RunOptions } from "../../compose/options.js";
import type { SavedRun, SegmentOptions } from "../../compose/segment.js";
import { KumikoError } from "../../errors.js";
import { isFields } from "../../is.js";
import { howSaved } from "../../run/options/checkpoint-options.js";
import { driveSegment, type SegmentTarget } from "../../run/saved/segment.js";
import { foreignRunId } from "../errors.js";
import { abortRun, newLiveRun, type ResumedStep } from "./flow.js";
import { pathOf, type StepTree } from "./run-result.js";
import { checkedInput, type RunOwner, type WorkflowApp } from "./workflow-run.js";

/** Drives a run of a workflow from where it stands to its next pause or end. */
export async function segmentOf<Out>(owner: RunOwner, id: string, options: SegmentOptions): Promise<SavedRun<Out>> {
  const call = new WorkflowSegment<Out>(owner, id);
  try {
    return await driveSegment(call, id, options);
  } catch (error) {
    if (call.isCancelled) return await call.cancel();
    throw KumikoError.is(error) && error.code === "UNKNOWN_CHECKPOINT" && call.isForeign
      ? foreignRunId(owner.id, id)
      : error;
  }
}

class WorkflowSegment<Out> implements SegmentTarget<Out> {
  readonly name: string;
  readonly store: WorkflowApp["store"];
  readonly runtime: WorkflowApp["runtime"];
  /** A step has called `abort`. */
  isCancelled = false;
  readonly #owner: RunOwner;
  readonly #app: WorkflowApp;
  readonly #id: string;

  constructor(owner: RunOwner, id: string) {
    this.#owner = owner;
    this.#app = owner.app();
    this.#id = id;
    this.name = owner.id;
    this.store = this.#app.store;
    this.runtime = this.#app.runtime;
  }

  /** Its id is not one of this workflow: a run that was enqueued may have one, but no new one. */
  get isForeign(): boolean {
    return this.#runId === this.#id;
  }

  get #runId(): string {
    const prefix = `${this.name}/`;
    return this.#id.startsWith(prefix) && this.#id !== prefix ? this.#id.slice(prefix.length) : this.#id;
  }

  check(options: RunOptions): void {
    const { checkOptions } = this.#app.graph as { checkOptions?(options: RunOptions): void };
    checkOptions?.call(this.#app.graph, options);
  }

  async start(input: unknown, options: RunOptions & { readonly checkpointId: string }): Promise<Out> {
    if (this.isForeign && howSaved(options).driven?.found === undefined) throw foreignRunId(this.name, this.#id);
    const given = await checkedInput(this.#owner, input);
    return (await this.#app.graph.invoke(given, this.#withLive(options, []))) as Out;
  }

  async resume(id: string, answers: Answers | undefined, options: RunOptions): Promise<Out> {
    const document = howSaved(options).driven?.found?.document;
    const resumed = document === undefined ? [] : resumedIn(document, answers, this.#owner.tree);
    const isRetry = document?.status === "failed" || document?.status === "ready";
    const live = this.#withLive(options, resumed, isRetry && resumed.length === 0);
    return (await this.#app.graph.resume(id, answers, live)) as Out;
  }

  output({ output }: CheckpointDocument): Out {
    return output?.value as Out;
  }

  /** Takes the run away, as the step that has called `abort` wants it. */
  async cancel(): Promise<SavedRun<Out>> {
    const { store, runtime } = this;
    for (;;) {
      const row = await readRow(store, this.#id);
      const { status } = row === undefined ? { status: "finished" } : readDocument(row, codecOf(runtime.codecs));
      if (row === undefined || status === "finished" || status === "cancelled") break;
      const change = { ...cleared, status: "cancelled", since: Math.floor(runtime.clock.now()) };
      if (await changeHead(store, this.#id, row, change)) break;
    }
    return driveSegment<Out>(this, this.#id, { onBusy: "return" });
  }

  #withLive<Options extends RunOptions>(given: Options, resumed: readonly ResumedStep[], isRetry = false): Options {
    const { validatesInputs, validatesOutputs } = this.#owner;
    const live = newLiveRun({
      ...{ workflowId: this.name, runId: this.#runId, mastra: this.#app.mastra, resumed, isDriven: true, isRetry },
      ...{ validatesInputs, validatesOutputs, watchers: new Set() },
      abort: () => {
        this.isCancelled = true;
        abortRun(live, new DOMException(`Run "${this.#runId}" was canceled.`, "AbortError"));
      },
      emit: () => undefined,
    });
    const { requestContext = new RequestContext(), options } = given;
    return { ...given, requestContext, options: { ...options, lambda: { ...options?.lambda, run: live } } };
  }
}

/** The steps that get an answer: of this call, or a recorded one. */
function resumedIn(
  { root, runKey, answers: recorded = {} }: CheckpointDocument,
  answers: Readonly<Record<string, unknown>> = {},
  tree: StepTree,
): readonly ResumedStep[] {
  if (root === undefined) return [];
  const given: unknown = answers.byAddress;
  const byAddress = isFields(given) ? given : {};
  return interruptsOf(root, runKey).flatMap((one) => {
    const { id, address } = one;
    const path = pathOf(one, tree);
    if (Object.hasOwn(answers, id)) return [{ path, data: answers[id] }];
    if (Object.hasOwn(byAddress, address)) return [{ path, data: byAddress[address] }];
    const data = recorded[id];
    return data === undefined ? [] : [{ path, data: data.value }];
  });
}
