import { checkOptions } from "../../check-options.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { type Interrupt, InterruptError } from "../../checkpoint/pause/interrupt.js";
import { RequestContext } from "../../components/request-context.js";
import type { RunOptions } from "../../compose/options.js";
import type { Runtime } from "../../compose/runtime.js";
import { KumikoError } from "../../errors.js";
import { savedAs } from "../../run/options/checkpoint-options.js";
import type { AnyMastra } from "../any-mastra.js";
import { requestContextOf, signalOf } from "../call-values.js";
import { cannotSuspend, checkNoMore, notSuspended } from "../errors.js";
import type { AnySchema } from "./any-schema.js";
import { checkValue } from "./check-value.js";
import { EventChannel } from "./event-channel.js";
import { abortRun, type LiveRun, newLiveRun } from "./flow.js";
import type { FlowInput, WorkflowGraph } from "./flow-graph.js";
import { answersFor } from "./resume-request.js";
import { errorOfRun, type RunMethod, runInProgress } from "./run-errors.js";
import type { RestartOptions, ResumeOptions, StartOptions } from "./run-options.js";
import { resultOfRun, type StepTree, type WorkflowOutcome } from "./run-result.js";
import type { AnyStep } from "./step.js";
import type { WorkflowEvent } from "./workflow-event.js";
import type { WorkflowResult } from "./workflow-result.js";
import { WorkflowStream } from "./workflow-stream.js";

/** The parts of a workflow that its runs use. */
export interface RunOwner {
  readonly id: string;
  readonly inputSchema: AnySchema | undefined;
  readonly stateSchema: AnySchema | undefined;
  readonly validatesInputs: boolean;
  readonly validatesOutputs: boolean;
  readonly tree: StepTree;
  stepAt(path: readonly string[]): AnyStep | undefined;
  app(): WorkflowApp;
  began(run: WorkflowRun): void;
  ended(run: WorkflowRun): void;
}

/** The compiled workflow, with its store. */
export interface WorkflowApp {
  readonly graph: WorkflowGraph;
  readonly store: CheckpointStore;
  readonly runtime: Runtime;
  readonly mastra: AnyMastra;
  /** Nothing of its runs outlives the process, so that they are saved only while they wait. */
  readonly savesQuestionsOnly: boolean;
}

/** The options of one call, with the names of a graph run. */
interface Call {
  readonly method: RunMethod;
  readonly requestContext: RequestContext;
  readonly signal: AbortSignal | undefined;
  readonly callbacks: RunOptions["callbacks"];
  readonly timeoutMs: number | undefined;
  readonly takeover: boolean | undefined;
}

const callOptionNames = ["requestContext", "runtimeContext", "abortSignal", "signal", "callbacks", "timeoutMs"];
const startOptionNames = ["inputData", "initialState", ...callOptionNames];
const resumeOptionNames = [
  "step",
  "label",
  "resumeData",
  "forEachIndex",
  "interruptId",
  "takeover",
  ...callOptionNames,
];
const restartOptionNames = ["takeover", ...callOptionNames];

/**
 * One run of a workflow. It is started once, and can be resumed whenever it is suspended, also in another process.
 *
 * @example
 * import { createStep, createWorkflow } from "kumiko/mastra";
 *
 * const approve = createStep({
 *   id: "approve",
 *   inputSchema: z.object({ amount: z.number() }),
 *   outputSchema: z.object({ approved: z.boolean() }),
 *   resumeSchema: z.object({ approved: z.boolean() }),
 *   execute: async ({ inputData, resumeData, suspend }) => resumeData ?? (await suspend({ amount: inputData.amount })),
 * });
 * const { inputSchema, outputSchema } = approve;
 * const workflow = createWorkflow({ id: "pay", inputSchema, outputSchema }).then(approve).commit();
 * const run = workflow.createRun();
 * const result = await run.start({ inputData: { amount: 5 } });
 * if (result.status === "suspended") await run.resume({ step: "approve", resumeData: { approved: true } });
 */
export class WorkflowRun<in In = never, out Out = unknown> {
  readonly runId: string;
  readonly workflowId: string;
  readonly #owner: RunOwner;
  readonly #watchers = new Set<(event: WorkflowEvent) => void>();
  /** What runs, and can be aborted. */
  #live: LiveRun | undefined;
  /** Why it was canceled. */
  #canceled: { readonly reason: unknown } | undefined;
  #isKnown: boolean;
  /** The open interrupts, if this process knows them. */
  #interrupts: readonly Interrupt[] | undefined;

  /** `isKnown`: others may have its id. */
  constructor(owner: RunOwner, runId: string, isKnown: boolean) {
    this.#owner = owner;
    this.#isKnown = isKnown;
    this.runId = runId;
    this.workflowId = owner.id;
  }

  /** Runs the workflow until it ends or is suspended. Rejects before the first step if the input is invalid. */
  async start(options: StartOptions<In> = {}): Promise<WorkflowResult<Out>> {
    const call = this.#callOf("start", options, startOptionNames);
    const given = await checkedInput(this.#owner, options.inputData, options.initialState);
    if (this.#live !== undefined)
      throw runInProgress({ workflow: this.workflowId, runId: this.runId, method: "start" });
    return this.#run(call, async ({ graph, savesQuestionsOnly }, live, run) => {
      const saved = { ...run, checkpointId: this.#checkpointId };
      const isPassing = savesQuestionsOnly && !this.#isKnown;
      this.#isKnown = true;
      try {
        return await graph.invoke(given, isPassing ? savedAs(saved, { isPassing }) : saved);
      } catch (error) {
        // an input that cannot be saved can still run, unless the run is suspended
        if (live.state !== undefined || !KumikoError.is(error) || error.code !== "NOT_SERIALIZABLE") throw error;
        return await graph.invoke(given, run);
      }
    });
  }

  /**
   * Resumes a suspended run. Rejects before any step runs if the data is invalid, or if it is unclear which step to resume.
   */
  async resume(options: ResumeOptions = {}): Promise<WorkflowResult<Out>> {
    const call = this.#callOf("resume", options, resumeOptionNames);
    const interrupts = this.#interrupts ?? (await this.#loadInterrupts());
    const { answers, path, areChecked } = await answersFor(this.#owner, interrupts, options);
    this.#interrupts = undefined;
    const work = ({ graph }: WorkflowApp, _live: LiveRun, run: RunOptions) =>
      graph.resume(this.#checkpointId, answers, savedAs(run, { hasCheckedAnswers: areChecked }));
    return this.#run(call, work, [{ path, data: options.resumeData }]);
  }

  /** Continues a run whose process crashed. */
  async restart(options: RestartOptions = {}): Promise<WorkflowResult<Out>> {
    const call = this.#callOf("restart", options, restartOptionNames);
    return this.#run(call, ({ graph }, _live, run) => graph.resume(this.#checkpointId, undefined, run));
  }

  /** Like `start`, but returns a stream of events. */
  stream(options: StartOptions<In> = {}): WorkflowStream<Out> {
    return this.#stream(() => this.start(options));
  }

  /** Like `resume`, but returns a stream of events. */
  resumeStream(options: ResumeOptions = {}): WorkflowStream<Out> {
    return this.#stream(() => this.resume(options));
  }

  /** Calls the watcher with each event of this run. Returns a function that removes the watcher. */
  watch(watcher: (event: WorkflowEvent) => void, ...rest: readonly never[]): () => void {
    checkNoMore(`watch of workflow "${this.workflowId}"`, rest);
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** Cancels the run. A suspended run cannot be resumed any more. */
  async cancel(): Promise<void> {
    const reason = new DOMException(`Run "${this.runId}" was canceled.`, "AbortError");
    this.#canceled = { reason };
    if (this.#live !== undefined) {
      abortRun(this.#live, reason);
      return;
    }
    this.#interrupts = undefined;
    await this.#owner.app().store.delete(this.#checkpointId);
  }

  get #checkpointId(): string {
    return `${this.workflowId}/${this.runId}`;
  }

  #callOf(method: RunMethod, options: RestartOptions, names: readonly string[]): Call {
    const where = `${method} of workflow "${this.workflowId}"`;
    checkOptions(where, options, names);
    return {
      method,
      requestContext: requestContextOf(where, options) ?? new RequestContext(),
      signal: signalOf(where, options),
      callbacks: options.callbacks,
      timeoutMs: options.timeoutMs,
      takeover: options.takeover,
    };
  }

  /** Loads the open interrupts of a run that another process has started. */
  async #loadInterrupts(): Promise<readonly Interrupt[]> {
    const { savedQuestions } = await import("./saved-questions.js");
    const interrupts = await savedQuestions(this.#owner.app(), this.#checkpointId).catch((error: unknown) => {
      throw this.#told(error, "resume");
    });
    if (interrupts.length > 0) return interrupts;
    throw notSuspended(this.workflowId, this.runId);
  }

  /** An error of the checkpoint of this run, in terms of runs. */
  #told(error: unknown, method: RunMethod): unknown {
    return errorOfRun(error, { workflow: this.workflowId, runId: this.runId, method });
  }

  async #run(
    { method, signal, ...call }: Call,
    work: (app: WorkflowApp, live: LiveRun, options: RunOptions) => Promise<unknown>,
    resumed: LiveRun["resumed"] = [],
  ): Promise<WorkflowResult<Out>> {
    this.#owner.began(this);
    const app = this.#owner.app();
    if (this.#live === undefined) this.#canceled = undefined;
    const live = this.#newLive(app.mastra, resumed);
    const options = { ...call, ...(signal && { signal }), options: { lambda: { run: live } } };
    this.#live = live;
    try {
      if (live.watchers.size > 0) live.emit(eventOf(live, "workflow-start", { workflowId: this.workflowId }));
      const result = resultOfRun(
        live,
        this.#owner.tree,
        await this.#settle(() => work(app, live, options), live, { method, signal }),
      );
      if (isOver(result)) await this.#forget(app);
      if (live.watchers.size > 0) live.emit(finishOf(live, result));
      return result;
    } finally {
      if (this.#live === live) this.#live = undefined;
      this.#owner.ended(this);
    }
  }

  async #settle(
    work: () => Promise<unknown>,
    live: LiveRun,
    { method, signal }: Pick<Call, "method" | "signal">,
  ): Promise<WorkflowOutcome> {
    try {
      return { status: "success", result: await work() };
    } catch (error) {
      if (this.#canceled !== undefined || signal?.aborted === true) return { status: "canceled" };
      if (InterruptError.is(error)) return this.#suspended(error, live);
      if (live.state === undefined && live.failure === undefined) throw this.#told(error, method);
      return { status: "failed", error: live.failure?.error ?? ownError(error) };
    }
  }

  /** The outcome of an interrupt: a failure if another step has failed, or if the run could not be saved. */
  #suspended({ interrupts, checkpointId, message }: InterruptError, live: LiveRun): WorkflowOutcome {
    const failed = Object.entries(live.state?.steps ?? {}).find(([, { status }]) => status === "failed");
    if (failed !== undefined) return { status: "failed", error: live.errors.get(failed[0]) ?? failed[1].error };
    if (checkpointId === undefined) return { status: "failed", error: cannotSuspend(this.workflowId, message) };
    this.#interrupts = interrupts;
    return { status: "suspended", interrupts };
  }

  /** Deletes the checkpoint of a run that has failed or was canceled. */
  async #forget({ store }: WorkflowApp): Promise<void> {
    await store.delete(this.#checkpointId);
  }

  #newLive(mastra: AnyMastra, resumed: LiveRun["resumed"]): LiveRun {
    const watchers = this.#watchers;
    return newLiveRun({
      workflowId: this.workflowId,
      runId: this.runId,
      mastra,
      resumed,
      isDriven: false,
      validatesInputs: this.#owner.validatesInputs,
      validatesOutputs: this.#owner.validatesOutputs,
      abort: () => void this.cancel(),
      watchers,
      emit: (event) => {
        for (const watcher of [...watchers]) watcher(event);
      },
    });
  }

  #stream(work: () => Promise<WorkflowResult<Out>>): WorkflowStream<Out> {
    const channel = new EventChannel();
    const leave = this.watch((event) => channel.write(event));
    const result = work();
    const stream = new WorkflowStream<Out>(this, channel, result);
    // the stream has heard first of the result: its status is known where its events end
    const end = (): void => {
      leave();
      channel.close();
    };
    result.then(end, end);
    return stream;
  }
}

/** The input of the graph of a run. Throws if it does not match the schemas of the workflow. */
export async function checkedInput(
  { id, inputSchema, stateSchema, validatesInputs }: RunOwner,
  inputData: unknown,
  initialState: StartOptions["initialState"] = {},
): Promise<FlowInput> {
  const what = { workflow: id, what: "input" };
  const input = validatesInputs ? await checkValue(inputSchema, inputData, what) : inputData;
  const shared = (await checkValue(stateSchema, initialState, { ...what, what: "initial state" })) as object;
  return { input, shared: { ...shared } };
}

/** Whether a run has ended without a result. One that another process has taken over goes on there. */
function isOver(result: WorkflowResult): boolean {
  if (result.status !== "failed") return result.status === "canceled";
  return !(KumikoError.is(result.error) && result.error.code === "CHECKPOINT_LOST");
}

function eventOf({ runId }: LiveRun, type: WorkflowEvent["type"], payload: WorkflowEvent["payload"]): WorkflowEvent {
  return { type, runId, from: "WORKFLOW", payload };
}

function finishOf(live: LiveRun, result: WorkflowResult): WorkflowEvent {
  if (result.status === "canceled") return eventOf(live, "workflow-canceled", {});
  return eventOf(live, "workflow-finish", {
    workflowStatus: result.status,
    ...(result.status === "success" && { finalWorkflowResult: result.result }),
    ...(result.status === "failed" && { error: result.error.message }),
  });
}

/** Returns the error that was thrown inside a node, without the `NODE_FAILED` wrappers. */
function ownError(error: unknown): unknown {
  const isWrapped = KumikoError.is(error) && error.code === "NODE_FAILED" && error.cause !== undefined;
  return isWrapped ? ownError(error.cause) : error;
}
