import { checkOptions } from "../../check-options.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { defaultRuntime } from "../../compose/default-runtime.js";
import type { SavedRun, SegmentOptions } from "../../compose/segment.js";
import { KumikoError } from "../../errors.js";
import type { AnyMastra } from "../any-mastra.js";
import {
  duplicateStep,
  emptyWorkflow,
  invalidMastraOption,
  invalidStep,
  notCommitted,
  unknownStep,
} from "../errors.js";
import { type Owner, register } from "../registered.js";
import { emptyMastra } from "../registry.js";
import type { Untyped } from "../untyped.js";
import type { AnySchema } from "./any-schema.js";
import { toStep } from "./create-step.js";
import { newLiveRun } from "./flow.js";
import { type BranchCase, type Duration, type FlowEntry, type StepCondition, stepsOf } from "./flow-entry.js";
import { flowGraph, type WorkflowGraph } from "./flow-graph.js";
import { idOf, type MapSource, mappedStepsOf, mapStep } from "./map-input.js";
import { keyOf } from "./node-key.js";
import type { StepTree } from "./run-result.js";
import { type AnyStep, type Step, type StepCall, type StepParams, stepBody } from "./step.js";
import type { WorkflowOptions } from "./workflow-options.js";
import { type RunOwner, type WorkflowApp, WorkflowRun } from "./workflow-run.js";

/** The fields of the next input, with their sources. */
type FieldSources = Readonly<Record<string, MapSource>>;

/** The output type of a mapping. @internal */
type Mapped<M> = M extends (...args: never[]) => infer Out ? Awaited<Out> : Untyped;

/** @internal */
type Case<In> = readonly [condition: (params: StepParams<In, unknown, never>) => unknown, step: Step<In, unknown>];

/** @internal */
type LoopCondition<Out> = (params: StepParams<Out, unknown, never> & { readonly iterationCount: number }) => unknown;

/**
 * A workflow, made with `createWorkflow`. Each method adds a step and returns the workflow; `commit()` completes it. A workflow
 * can be a step of another one. It runs as a graph: `workflow.graph`.
 */
export class Workflow<in In = never, out Out = unknown, out Current = Untyped> implements Step<In, Out>, StepTree {
  readonly id: string;
  readonly description: string | undefined;
  readonly inputSchema: AnySchema | undefined;
  readonly outputSchema: AnySchema | undefined;
  readonly stateSchema: AnySchema | undefined;
  /** The input and output types; not set at run time. */
  declare readonly types?: ((input: In) => Out) | undefined;
  readonly #options: WorkflowOptions;
  readonly #entries: FlowEntry[] = [];
  readonly #steps = new Map<string, AnyStep>();
  readonly #runs = new Map<string, WorkflowRun>();
  #committed: readonly FlowEntry[] | undefined;
  #owner: Owner | undefined;
  #app: WorkflowApp | undefined;

  constructor(options: WorkflowOptions) {
    this.#options = options;
    this.id = options.id;
    this.description = options.description;
    this.inputSchema = options.inputSchema;
    this.outputSchema = options.outputSchema;
    this.stateSchema = options.stateSchema;
  }

  /** Adds a step. */
  then<Next>(step: Step<Current, Next>): Workflow<In, Out, Next> {
    return this.#add({ type: "step", step: this.#stepOf(step, "then") });
  }

  /**
   * Creates the input of the next step from outputs, the request context, constants and the workflow input, or with a
   * function.
   */
  map<const M extends FieldSources | ((params: StepParams<Current, unknown, never>) => unknown)>(
    mapping: M,
    options: { readonly id?: string | undefined } = {},
  ): Workflow<In, Out, Mapped<M>> {
    const count = this.#entries.filter(({ type }) => type === "map").length;
    checkOptions(`.map of workflow "${this.id}"`, options, ["id"]);
    const { id = `mapping_${this.id}_${count}` } = options;
    for (const { field, step } of mappedStepsOf(mapping)) this.#mapped.push({ field, id: idOf(step) });
    return this.#add({ type: "map", step: mapStep(this.id, id, mapping) });
  }

  /** Runs steps in parallel. The output is a record of their outputs by step id. */
  parallel(steps: readonly Step<Current, unknown>[]): Workflow<In, Out, Untyped> {
    if (!Array.isArray(steps)) throw invalidStep(`.parallel of workflow "${this.id}" needs an array of steps.`);
    const id = `parallel ${this.#entries.length}`;
    return this.#add({ type: "parallel", id, steps: steps.map((step) => this.#stepOf(step, "parallel")) });
  }

  /** Runs every step whose condition is true. The output is a record of their outputs by step id. */
  branch(cases: readonly Case<Current>[]): Workflow<In, Out, Untyped> {
    if (!Array.isArray(cases))
      throw invalidStep(`.branch of workflow "${this.id}" needs an array of pairs [condition, step].`);
    const id = `branch ${this.#entries.length}`;
    return this.#add({ type: "branch", id, cases: cases.map((given) => this.#caseOf(given)) });
  }

  /** Runs a step, and repeats it while the condition is true. */
  dowhile<Next>(step: Step<Current, Next>, condition: LoopCondition<Next>): Workflow<In, Out, Next> {
    return this.#loop(step, condition, false);
  }

  /** Runs a step, and repeats it until the condition is true. */
  dountil<Next>(step: Step<Current, Next>, condition: LoopCondition<Next>): Workflow<In, Out, Next> {
    return this.#loop(step, condition, true);
  }

  /** Runs a step for each item of an array, one after another or with the given `concurrency`. The output is an array. */
  foreach<Next>(
    step: Step<Current extends readonly unknown[] ? Current[number] : never, Next>,
    options: { readonly concurrency?: number | undefined } = {},
  ): Workflow<In, Out, Next[]> {
    checkOptions(`.foreach of workflow "${this.id}"`, options, ["concurrency"]);
    const { concurrency = 1 } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw invalidMastraOption(
        `concurrency of .foreach in workflow "${this.id}" must be a whole number of at least 1 (got ${String(concurrency)}).`,
      );
    }
    return this.#add({ type: "foreach", step: this.#stepOf(step, "foreach"), concurrency });
  }

  /** Waits for a number of milliseconds. */
  sleep(duration: number | ((params: StepParams<Current, unknown, never>) => unknown)): Workflow<In, Out, Current> {
    return this.#wait("sleep", duration, typeof duration === "number");
  }

  /** Waits until a point in time. */
  sleepUntil(date: Date | ((params: StepParams<Current, unknown, never>) => unknown)): Workflow<In, Out, Current> {
    return this.#wait("sleepUntil", date, date instanceof Date);
  }

  /** Completes the workflow, so that it can run. */
  commit(): Workflow<In, Out, Out> {
    if (this.#entries.length === 0) throw emptyWorkflow(this.id);
    for (const { field, id } of this.#mapped) {
      if (!this.#steps.has(id)) throw unknownStep(this.id, `"${field}" in .map`, id, [...this.#steps.keys()]);
    }
    this.#committed = [...this.#entries];
    this.#app = undefined;
    return this as never;
  }

  /** Creates a run, to `start` it. With the `runId` of a suspended run, it can be resumed. */
  createRun(options: { readonly runId?: string | undefined } = {}): WorkflowRun<In, Out> {
    checkOptions(`createRun of workflow "${this.id}"`, options, ["runId"]);
    const isNamed = options.runId !== undefined;
    const { runId = crypto.randomUUID() } = options;
    if (typeof runId !== "string" || runId === "") {
      throw invalidMastraOption(`runId of workflow "${this.id}" must be a non-empty string (got ${String(runId)}).`);
    }
    this.#check();
    return (this.#runs.get(runId) ?? new WorkflowRun(this.#runOwner, runId, isNamed)) as WorkflowRun<In, Out>;
  }

  /** The same as `createRun`, as a promise. */
  async createRunAsync(options: { readonly runId?: string | undefined } = {}): Promise<WorkflowRun<In, Out>> {
    return this.createRun(options);
  }

  /**
   * Drives a run from where it stands to its next pause or end, for engines and workers that may call more than once, from any
   * process. Its id is `<workflow>/<run>`: `createRun({ runId })` is the same run.
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
   * const { interrupts } = await workflow.segment("pay/7", { input: { amount: 5 } });
   * for (const { id } of interrupts) await workflow.segment("pay/7", { answers: { [id]: { approved: true } } });
   */
  async segment(id: string, options: SegmentOptions<In> = {}): Promise<SavedRun<Out>> {
    this.#check();
    const { segmentOf } = await import("./workflow-segment.js");
    return segmentOf<Out>(this.#runOwner, id, options);
  }

  /** The steps by id. */
  get steps(): Readonly<Record<string, AnyStep>> {
    return Object.fromEntries(this.#steps);
  }

  get committed(): boolean {
    return this.#committed?.length === this.#entries.length;
  }

  /** The compiled graph, to print or to run directly. */
  get graph(): WorkflowGraph {
    this.#check();
    return this.#appOf().graph;
  }

  stepAt(key: string): { readonly id: string; readonly inner: StepTree | undefined } | undefined {
    for (const [id, step] of this.#steps) {
      if (keyOf(id) === key) return { id, inner: step instanceof Workflow ? step : undefined };
    }
    return undefined;
  }

  [register](owner: Owner): void {
    this.#owner = owner;
    this.#app = undefined;
  }

  /** Runs the workflow as a step of another one. */
  [stepBody](call: StepCall): Promise<unknown> {
    this.#check();
    return runInner(this.#runOwner, call);
  }

  readonly #mapped: { readonly field: string; readonly id: string }[] = [];

  #add(entry: FlowEntry): never {
    const steps = stepsOf(entry);
    for (const [index, { id }] of steps.entries()) {
      if (this.#steps.has(id) || steps.findIndex((step) => step.id === id) !== index) throw duplicateStep(this.id, id);
    }
    for (const step of steps) this.#steps.set(step.id, step);
    this.#entries.push(entry);
    return this as never;
  }

  #stepOf(step: unknown, method: string): AnyStep {
    return toStep(step, `.${method} of workflow "${this.id}"`);
  }

  #caseOf(given: unknown): BranchCase {
    const [condition, step, ...others] = (Array.isArray(given) ? given : []) as readonly unknown[];
    if (typeof condition !== "function" || others.length > 0) {
      throw invalidStep(
        `A case of .branch in workflow "${this.id}" must be a pair [condition, step] whose condition is a function.`,
      );
    }
    return { condition: condition as StepCondition, step: this.#stepOf(step, "branch") };
  }

  #loop(step: unknown, condition: unknown, until: boolean): never {
    const method = until ? "dountil" : "dowhile";
    if (typeof condition !== "function") {
      throw invalidStep(`.${method} of workflow "${this.id}" needs a condition function as its second argument.`);
    }
    return this.#add({ type: "loop", step: this.#stepOf(step, method), until, condition: condition as StepCondition });
  }

  #wait(method: string, until: unknown, isFixed: boolean): never {
    if (!isFixed && typeof until !== "function") {
      const wanted = method === "sleep" ? "a number of milliseconds" : "a Date";
      throw invalidStep(`.${method} of workflow "${this.id}" needs ${wanted}, or a function that returns it.`);
    }
    return this.#add({ type: "sleep", id: `${method} ${this.#entries.length}`, until: until as Duration });
  }

  #check(): void {
    if (this.#entries.length === 0) throw emptyWorkflow(this.id);
    if (!this.committed) throw notCommitted(this.id);
  }

  #appOf(): WorkflowApp {
    if (this.#app === undefined) {
      this.#owner ??= emptyMastra();
      const owner = this.#owner;
      const { durability, callbacks, runtime, retryConfig: { attempts = 0, delay = 0 } = {} } = this.#options;
      const store: CheckpointStore = owner.storage;
      const own = { store, runtime: runtime ?? owner.runtime ?? defaultRuntime };
      const options = { name: this.id, durability, callbacks, ...own };
      const graph = flowGraph(this.#committed ?? [], { attempts, delayMs: delay }, options);
      const savesQuestionsOnly = owner.isStorageOwn && durability !== "step";
      this.#app = { graph, ...own, mastra: owner.mastra as AnyMastra, savesQuestionsOnly };
    }
    return this.#app;
  }

  readonly #runOwner: RunOwner = this.#ownerOfRuns();

  #ownerOfRuns(): RunOwner {
    const workflow = this;
    return {
      get id() {
        return workflow.id;
      },
      get inputSchema() {
        return workflow.inputSchema;
      },
      get stateSchema() {
        return workflow.stateSchema;
      },
      get validatesInputs() {
        return workflow.#options.options?.validateInputs ?? true;
      },
      get validatesOutputs() {
        return workflow.#options.validateOutputs ?? workflow.#options.options?.validateOutputs ?? false;
      },
      tree: workflow,
      stepAt: (path) => {
        let step: AnyStep | undefined = workflow as AnyStep;
        for (const id of path) step = step instanceof Workflow ? step.steps[id] : undefined;
        return step;
      },
      app: () => workflow.#appOf(),
      began: (run) => void workflow.#runs.set(run.runId, run),
      ended: (run) => void workflow.#runs.delete(run.runId),
    };
  }
}

/** Runs a workflow as a step of another one. If it suspends, the outer run suspends too. */
async function runInner(owner: RunOwner, { params, ctx, flow, step, item }: StepCall): Promise<unknown> {
  const { live } = flow;
  const inner = newLiveRun({
    ...{ workflowId: owner.id, runId: live.runId, path: [...live.path, step.id], mastra: live.mastra },
    ...{ item, outermost: live.outermost ?? live, resumed: [], isDriven: live.isDriven, isRetry: live.isRetry },
    ...{ validatesInputs: owner.validatesInputs, validatesOutputs: owner.validatesOutputs },
    abort: () => live.abort(),
    watchers: live.watchers,
    emit: (event) => live.emit(event),
  });
  const given = { input: params.inputData, shared: {} };
  try {
    return await owner.app().graph.invoke(given, { parent: ctx, key: step.id, options: { lambda: { run: inner } } });
  } catch (error) {
    if (inner.failure !== undefined && KumikoError.is(error) && error.code === "NODE_FAILED") throw inner.failure.error;
    throw error;
  }
}
