import { causedByInterrupt, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import { LONE_INDEX, type PlanNode } from "../../compose/plan/plan.js";
import { endsRun, KumikoError } from "../../errors.js";
import { isPromiseLike, isStream } from "../../is.js";
import type { Body } from "../body.js";
import { mergeCallOptions, type NodeCallOptionsTree } from "../options/call-options.js";
import { canonicalText } from "../policies/canonical-text.js";
import type { Program } from "../program.js";
import { unusedAnswerOf } from "../questions.js";
import { Run } from "../run.js";
import { collect, discard } from "../streams/joining.js";
import { type ItemList, Task } from "../task.js";
import { causedBy, itemError } from "./item-error.js";
import { ItemSaves } from "./item-saves.js";

/** The options of `each`. */
export interface EachSettings {
  /** How many items may run at a time. */
  readonly concurrency: number;
  /** Returns a value in place of a failed item; if `undefined`, the first failure fails the node. */
  readonly onItemError: ((error: KumikoError, item: unknown, index: number) => unknown) | undefined;
  /** Whether results come in the order of the items; otherwise as they finish. */
  readonly ordered: boolean;
}

/**
 * Runs a node for the items of one list: each item is a task of a program with one node, and a call in the invocation of the
 * node that got the list. In saved runs the results of items are kept there. If items ask something, the node pauses once all
 * items have settled.
 */
export abstract class EachRun extends Run implements ItemList {
  readonly at: Task;
  protected readonly settings: EachSettings;
  /** It has its result, has failed, or was aborted. */
  #isDone = false;
  readonly #body: Body;
  readonly #saves: ItemSaves | undefined;
  /** Whether results are kept for a resume or a further attempt. */
  readonly #keeps: boolean;
  /** The current batch of items; those from `#position` on have not started. */
  #items: readonly unknown[] = [];
  #position = 0;
  /** How many items were in earlier batches. */
  #before = 0;
  /** The last batch has arrived. */
  #isComplete = false;
  #running = 0;
  #isStarting = false;
  /** An item waits for an answer, or a stop was requested. */
  #isWaiting = false;
  /** A stop was requested before all items had started. */
  #hasStopped = false;

  constructor(program: Program, at: Task, settings: EachSettings) {
    const { owner } = at;
    const outer = owner instanceof Run ? owner : undefined;
    const callOptions = itemCallOptions(program, at);
    super(program, "invoke", { parentContext: at, nested: true }, undefined, outer?.overrides, callOptions);
    this.at = at;
    this.settings = settings;
    this.#body = this.bodies[LONE_INDEX] as Body;
    this.#keeps = at.journal !== undefined || at.retains;
    if (at.journal?.isStepwise !== true) return;
    const listener = { saved: () => this.startMore(), failed: (error: unknown) => this.fail(error) };
    this.#saves = new ItemSaves(at, settings.concurrency, listener);
  }

  /** Called when an item has its result. */
  protected abstract given(index: number, value: unknown): void;
  /** Called when all items of the batch have started, to get the next one. */
  protected abstract more(): void;
  /** Called when all items have their results. */
  protected abstract succeeded(): void;
  /** Called when there will be no result: an item has failed, or waits for an answer. */
  protected abstract failed(error: unknown): void;

  override get nodePath(): readonly string[] {
    return this.at.nodePath.filter((key) => key !== "");
  }

  override get ownState(): unknown {
    return this.at.state;
  }

  /** Unlike in a graph, other items start while one waits for an answer. */
  override noteStop(task: Task): void {
    this.stopped ??= new Set();
    this.stopped.add(task);
    this.at.noteStop();
  }

  override get items(): ItemList {
    return this;
  }

  /** Whether its items can ask nothing more. */
  get isOver(): boolean {
    return this.#isDone;
  }

  protected override beforeSignal(reason: unknown): void {
    if (this.#isDone) return;
    this.#end();
    this.failed(reason);
  }

  /** Takes the next batch of items. */
  protected take(items: readonly unknown[], isLast: boolean): void {
    this.#before += this.#items.length;
    this.#items = items;
    this.#position = 0;
    this.#saves?.count(this.#before + items.length);
    if (isLast) this.takeEnd();
    else this.startMore();
  }

  /** Whether all items of the batch have started. */
  protected get isUsedUp(): boolean {
    return this.#position >= this.#items.length;
  }

  /** The batch was the last one. */
  protected takeEnd(): void {
    this.#isComplete = true;
    this.startMore();
  }

  /** Whether the progress of single items does not matter: no limit, no ledger, no `control`. */
  protected get isAllOrNothing(): boolean {
    const { concurrency, ordered } = this.settings;
    return (
      ordered && concurrency === Number.POSITIVE_INFINITY && !this.#keeps && this.environment.stopRequest === undefined
    );
  }

  /**
   * Starts all items at once and awaits them together: half the cost, as nothing is allocated per item beyond its task. Returns
   * the results, or a promise of them; `undefined` if the items have to be awaited one by one after all (see `#adopt`).
   */
  protected takeAll(items: readonly unknown[]): unknown[] | Promise<unknown[] | undefined> | undefined {
    const outputs: unknown[] = new Array(items.length);
    const body = this.#body;
    let hasPromises = false;
    for (let index = 0; index < items.length; index++) {
      // an item may have stopped the run
      if (this.aborted) return undefined;
      const task = new Task(this, LONE_INDEX, index);
      try {
        const output = body(items[index], task);
        outputs[index] = output;
        hasPromises ||= output instanceof Promise || isPromiseLike(output);
      } catch (error) {
        this.#adopt(items, outputs, index, { error });
        return undefined;
      }
    }
    if (!hasPromises) return this.#values(items, outputs);
    return Promise.all(outputs).then(
      (values) => this.#values(items, values),
      () => {
        this.#adopt(items, outputs, items.length);
        return undefined;
      },
    );
  }

  #values(items: readonly unknown[], outputs: unknown[]): unknown[] | undefined {
    let isPlain = !this.#isDone && this.stopped === undefined;
    for (let n = 0; n < outputs.length && isPlain; n++) {
      const output = outputs[n];
      isPlain = typeof output !== "object" || !isStream(output);
    }
    if (!isPlain) {
      this.#adopt(items, outputs, items.length);
      return undefined;
    }
    this.#end();
    return outputs;
  }

  /** Awaits each item by itself, after the first `begun` have started. `thrown`: what the next one threw when it was called. */
  #adopt(
    items: readonly unknown[],
    outputs: readonly unknown[],
    begun: number,
    thrown?: { readonly error: unknown },
  ): void {
    const asking = new Map(Array.from(this.stopped ?? [], (task) => [task.item, task]));
    this.#items = items;
    this.#isComplete = true;
    this.#position = thrown === undefined ? begun : begun + 1;
    this.#running = this.#position;
    this.#isStarting = true;
    const taskOf = (index: number): Task => asking.get(index) ?? new Task(this, LONE_INDEX, index);
    for (let index = 0; index < begun; index++) this.#await(taskOf(index), items[index], outputs[index]);
    if (thrown !== undefined) this.#caught(taskOf(begun), items[begun], thrown.error);
    this.#isStarting = false;
    this.startMore();
  }

  protected startMore(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    const { concurrency } = this.settings;
    while (!this.#isDone && this.#position < this.#items.length && this.#running < concurrency) {
      if (this.#saves?.mustWait(this.#running) === true || this.#mustStop()) break;
      const position = this.#position++;
      this.#start(this.#before + position, this.#items[position]);
    }
    this.#isStarting = false;
    if (this.#isDone) return;
    const { isUsedUp } = this;
    if (isUsedUp && !this.#isComplete && this.#running < concurrency && !this.#mustStop()) this.more();
    else if (this.#running === 0 && ((isUsedUp && this.#isComplete) || this.#hasStopped)) this.#finish();
  }

  /** Whether a stop was requested: running items complete, and no further one starts. */
  #mustStop(): boolean {
    if (this.isStopRequested && !this.#hasStopped) {
      this.#hasStopped = true;
      this.#isWaiting = true;
      this.at.noteStop();
    }
    return this.#hasStopped;
  }

  #start(index: number, item: unknown): void {
    const known = this.at.openedInvocation?.findCall(index);
    if (known?.result !== undefined && (known.callId === "" || known.callId === this.#textOf(item))) {
      this.given(index, known.result.value);
      return;
    }
    const task = new Task(this, LONE_INDEX, index);
    if (known?.invocation?.isBlocked === true) {
      this.noteStop(task);
      this.#isWaiting = true;
      return;
    }
    known?.invocation?.begin();
    this.#running++;
    let output: unknown;
    try {
      output = this.#body(item, task);
    } catch (error) {
      this.#caught(task, item, error);
      return;
    }
    this.#await(task, item, output);
  }

  #await(task: Task, item: unknown, output: unknown): void {
    if (isPromiseLike(output)) {
      output.then(
        (ready) => this.#await(task, item, ready),
        (error) => this.#caught(task, item, error),
      );
    } else if (isStream(output)) {
      if (this.#isDone) discard(output);
      else this.#await(task, item, collect(output, task));
    } else if (!this.#isDone) {
      const unused = task.hasStopped ? undefined : unusedAnswerOf(task);
      if (task.hasStopped) this.#wait(task, item);
      else if (unused === undefined) this.#settle(task, item, output);
      else this.fail(this.#failureOf(task, unused));
    }
  }

  /** An item has its result, which is kept in a saved run. */
  #settle(task: Task, item: unknown, output: unknown): void {
    const { item: index } = task;
    task.isOver = true;
    this.#running--;
    if (this.#keeps) this.#keep(index, item, output);
    this.#saves?.finished();
    this.given(index, output);
    this.startMore();
  }

  /** As long as the list is not complete, the result is kept for this very item: a resume may get other ones. */
  #keep(index: number, item: unknown, output: unknown): void {
    const key = this.#isComplete ? "" : this.#textOf(item);
    if (key !== undefined) this.at.invocation.finishCall(index, key, { value: output });
  }

  #textOf(item: unknown): string | undefined {
    return canonicalText(item, this.runtime.codecs);
  }

  #caught(task: Task, item: unknown, error: unknown): void {
    if (this.#isDone) return;
    if (causedByInterrupt(error) && (task.hasStopped || this.isStopRequested)) this.#wait(task, item);
    else this.#fail(task, item, error);
  }

  /** An item waits for an answer: first, what it started has to settle. */
  #wait(task: Task, item: unknown): void {
    this.#isWaiting = true;
    const stopped = (): void => {
      task.openedInvocation?.settleAnswers();
      this.#running--;
      if (!this.#isDone) this.startMore();
    };
    const settling = task.settle();
    if (settling === undefined) stopped();
    else settling.then(stopped, (error) => this.#fail(task, item, error));
  }

  #fail(task: Task, item: unknown, thrown: unknown): void {
    if (this.#isDone) return;
    task.isOver = true;
    const failure = this.#failureOf(task, thrown);
    const { onItemError } = this.settings;
    if (onItemError === undefined || endsRun(thrown)) {
      this.fail(failure);
      return;
    }
    task.withdrawStop();
    const failWith = (cause: unknown): void => void this.fail(this.#failureOf(task, causedBy(cause, failure)));
    try {
      const value: unknown = onItemError(failure, item, task.item);
      if (!isPromiseLike(value)) this.#settle(task, item, value);
      else value.then((ready) => !this.#isDone && this.#settle(task, item, ready), failWith);
    } catch (cause) {
      failWith(cause);
    }
  }

  #failureOf({ item: index }: Task, thrown: unknown): KumikoError {
    const located = KumikoError.is(thrown) ? this.blame(thrown, LONE_INDEX) : thrown;
    return itemError(located, index, { path: this.nodePath, root: this.environment.root });
  }

  #finish(): void {
    this.#end();
    if (!this.#isWaiting) {
      this.succeeded();
      return;
    }
    const { address, invocation, environment } = this.at;
    this.failed(waitsAt(address, interruptsAt(invocation.snapshot(), environment.runKey), environment));
  }

  /** Fails the node and aborts running items. */
  override fail(error: unknown): unknown {
    if (this.#isDone) return error;
    this.#end();
    this.failed(error);
    this.stopRest("Stopped, because another item has failed.");
    return error;
  }

  #end(): void {
    this.#isDone = true;
    this.#saves?.close();
    this.close();
  }
}

/** The node's call options apply to the node that is run for each item; its handlers are around all items already. */
function itemCallOptions({ plan }: Program, { owner, index, ownOptions }: Task): NodeCallOptionsTree | undefined {
  if (!(owner instanceof Run)) return undefined;
  const given = owner.nodeCallOptions?.inside.get(owner.node(index).key);
  if (given === undefined && ownOptions === undefined) return undefined;
  const lone = plan.nodes[LONE_INDEX] as PlanNode;
  const node: PlanNode = { ...lone, settings: { ...lone.settings, options: ownOptions } };
  const options = mergeCallOptions(node, owner.overrides?.kinds, given, undefined);
  return { inside: new Map([[lone.key, { options, inside: given?.inside ?? new Map() }]]) };
}
