import { causedByInterrupt, waitsAt } from "../../checkpoint/pause/interrupt.js";
import { interruptsAt } from "../../checkpoint/pause/interrupts-of.js";
import { LONE_INDEX, type PlanNode } from "../../compose/plan/plan.js";
import { KumikoError } from "../../errors.js";
import { isPromiseLike, isStream } from "../../is.js";
import type { Body } from "../body.js";
import { mergeOptions, type NodeCallOptionsTree } from "../call-options.js";
import type { Program } from "../program.js";
import { Run } from "../run.js";
import { collect, discard } from "../streams/joining.js";
import type { Task } from "../task.js";
import { causedBy, itemError } from "./item-error.js";
import { ItemSaves } from "./item-saves.js";
import { ItemTask } from "./item-task.js";

/** How a node is run for each item of a list. */
export interface EachSettings {
  /** How many items may run at a time. */
  readonly concurrency: number;
  /** Gives a value in place of one that failed; `undefined`: the first failure ends all. */
  readonly onItemError: ((error: KumikoError, item: unknown, index: number) => unknown) | undefined;
  /** Whether results come in the order of the items, or as they finish. */
  readonly ordered: boolean;
}

/**
 * The items of one list: each is a task of a program with one node, and a part of the invocation of the node that has the
 * list. What an item gave is kept there in runs that are saved, and what it asks leaves when all items have settled.
 */
export abstract class EachRun extends Run {
  readonly at: Task;
  protected readonly settings: EachSettings;
  /** It has its result, has failed, or was stopped. */
  #isDone = false;
  readonly #body: Body;
  readonly #saves: ItemSaves | undefined;
  /** Results are kept for whoever goes on with the run. */
  readonly #keeps: boolean;
  /** The items that are here and have not begun: from `#position` on. */
  #items: readonly unknown[] = [];
  #position = 0;
  /** How many came before them. */
  #before = 0;
  #isComplete = false;
  /** Results that came before the last item was known, to be kept. */
  readonly #early: (readonly [index: number, output: unknown])[] = [];
  #running = 0;
  #isStarting = false;
  /** Some wait for an answer, or a stop was requested. */
  #isWaiting = false;
  /** An item has failed, and that is about to be told. */
  #isFailing = false;
  /** A stop was requested while there were items that had not begun. */
  #hasStopped = false;

  constructor(program: Program, at: Task, settings: EachSettings) {
    const { owner } = at;
    const outer = owner instanceof Run ? owner : undefined;
    super(program, "invoke", { parentContext: at, nested: true }, undefined, outer?.overrides, placesOf(program, at));
    this.at = at;
    this.settings = settings;
    this.#body = this.bodies[LONE_INDEX] as Body;
    this.#keeps = at.journal !== undefined || at.retains;
    if (at.journal?.isStepwise !== true) return;
    const listener = { saved: () => this.startMore(), failed: (error: unknown) => this.fail(error) };
    this.#saves = new ItemSaves(at, settings.concurrency, listener);
  }

  /** One item has its result. */
  protected abstract given(index: number, value: unknown): void;
  /** All items that are here have begun, and there may be more. */
  protected abstract more(): void;
  /** All items have their results. */
  protected abstract succeeded(): void;
  /** There is no result: an item has failed, or waits for an answer. */
  protected abstract failed(error: unknown): void;

  override get nodePath(): readonly string[] {
    return this.at.nodePath.filter((key) => key !== "");
  }

  override get ownState(): unknown {
    return this.at.state;
  }

  /** An item that waits holds up no other. */
  override noteStop(task: Task): void {
    this.stopped ??= new Set();
    this.stopped.add(task);
    this.at.noteStop();
  }

  /** Nothing can be asked for its items any more. */
  get isOver(): boolean {
    return this.#isDone;
  }

  protected override beforeSignal(reason: unknown): void {
    if (this.#isDone) return;
    this.#end();
    this.failed(reason);
  }

  /** More items are here; `isLast`: and no others will be. */
  protected take(items: readonly unknown[], isLast: boolean): void {
    this.#before += this.#items.length;
    this.#items = items;
    this.#position = 0;
    this.#saves?.count(this.#before + items.length);
    if (isLast) this.takeEnd();
    else this.startMore();
  }

  /** All items that are here have begun. */
  protected get isUsedUp(): boolean {
    return this.#position >= this.#items.length;
  }

  /** All items are here. */
  protected takeEnd(): void {
    this.#isComplete = true;
    for (const [index, output] of this.#early.splice(0)) this.#keep(index, output);
    this.startMore();
  }

  /** Whether nothing asks how far single items have come: no limit, no ledger, nobody who may stop the run. */
  protected get isAllOrNothing(): boolean {
    const { concurrency, ordered } = this.settings;
    return (
      ordered && concurrency === Number.POSITIVE_INFINITY && !this.#keeps && this.environment.stopRequest === undefined
    );
  }

  /**
   * Starts all items at once, and looks at them when all have ended: that costs half, as nothing is kept of an item that asks
   * for nothing. Gives the results, or a promise of them; `undefined` when one is more than a value: see {@link adopt}.
   */
  protected takeAll(items: readonly unknown[]): unknown[] | Promise<unknown[] | undefined> | undefined {
    const outputs: unknown[] = new Array(items.length);
    const body = this.#body;
    let hasPromises = false;
    for (let index = 0; index < items.length; index++) {
      // an item may have stopped the run
      if (this.aborted) return undefined;
      const task = new ItemTask(this, LONE_INDEX, index);
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

  /** Looks at each item as it ends, after so many have begun; the next one has thrown at its start, if something was thrown. */
  #adopt(
    items: readonly unknown[],
    outputs: readonly unknown[],
    begun: number,
    thrown?: { readonly error: unknown },
  ): void {
    const asking = new Map<number, ItemTask>();
    for (const task of this.stopped ?? []) if (task instanceof ItemTask) asking.set(task.item, task);
    this.#items = items;
    this.#isComplete = true;
    this.#position = thrown === undefined ? begun : begun + 1;
    this.#running = this.#position;
    this.#isStarting = true;
    const taskOf = (index: number): ItemTask => asking.get(index) ?? new ItemTask(this, LONE_INDEX, index);
    for (let index = 0; index < begun; index++) this.#await(taskOf(index), items[index], outputs[index]);
    if (thrown !== undefined) this.#caught(taskOf(begun), items[begun], thrown.error);
    this.#isStarting = false;
    this.startMore();
  }

  protected startMore(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    const { concurrency } = this.settings;
    while (!this.#isDone && !this.#isFailing && this.#position < this.#items.length && this.#running < concurrency) {
      if (this.#saves?.mustWait(this.#running) === true || this.#mustStop()) break;
      const position = this.#position++;
      this.#start(this.#before + position, this.#items[position]);
    }
    this.#isStarting = false;
    if (this.#isDone || this.#isFailing) return;
    const { isUsedUp } = this;
    if (isUsedUp && !this.#isComplete && this.#running < concurrency && !this.#mustStop()) this.more();
    else if (this.#running === 0 && ((isUsedUp && this.#isComplete) || this.#hasStopped)) this.#finish();
  }

  /** Somebody outside has asked the run to stop: what runs comes to its end, and nothing more begins. */
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
    if (known?.result !== undefined) {
      this.given(index, known.result.value);
      return;
    }
    const task = new ItemTask(this, LONE_INDEX, index);
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

  #await(task: ItemTask, item: unknown, output: unknown): void {
    if (isPromiseLike(output)) {
      output.then(
        (ready) => this.#await(task, item, ready),
        (error) => this.#caught(task, item, error),
      );
    } else if (isStream(output)) {
      if (this.#isDone) discard(output);
      else this.#await(task, item, collect(output, task));
    } else if (!this.#isDone) {
      if (task.hasStopped) this.#wait(task, item);
      else this.#settle(task, output);
    }
  }

  /** One item has its result: remembered where the run is saved, so that it does not run again. */
  #settle(task: ItemTask, output: unknown): void {
    const { item: index } = task;
    task.isOver = true;
    this.#running--;
    if (this.#keeps) this.#keep(index, output);
    this.#saves?.finished();
    this.given(index, output);
    this.startMore();
  }

  /** Only when all items are known: whoever goes on with the run then meets the same ones. */
  #keep(index: number, output: unknown): void {
    if (this.#isComplete) this.at.invocation.finishCall(index, "", { value: output });
    else this.#early.push([index, output]);
  }

  #caught(task: ItemTask, item: unknown, error: unknown): void {
    if (this.#isDone) return;
    if (causedByInterrupt(error) && (task.hasStopped || this.isStopRequested)) this.#wait(task, item);
    else this.#fail(task, item, error);
  }

  /** It waits: what runs inside it comes to its end first. */
  #wait(task: ItemTask, item: unknown): void {
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

  #fail(task: ItemTask, item: unknown, thrown: unknown): void {
    if (this.#isDone) return;
    task.isOver = true;
    const failure = this.#failureOf(task, thrown);
    const { onItemError } = this.settings;
    if (onItemError === undefined) {
      void this.#failSoon(failure);
      return;
    }
    const refuse = (cause: unknown): void => void this.fail(this.#failureOf(task, causedBy(cause, failure)));
    try {
      const value: unknown = onItemError(failure, item, task.item);
      if (!isPromiseLike(value)) this.#settle(task, value);
      else value.then((ready) => !this.#isDone && this.#settle(task, ready), refuse);
    } catch (cause) {
      refuse(cause);
    }
  }

  /** Where results are kept, the end of the list may be known in this very turn: with it, they stay. */
  async #failSoon(failure: KumikoError): Promise<void> {
    this.#isFailing = true;
    if (this.#keeps) for (let n = 0; n < turn && !this.#isComplete; n++) await undefined;
    this.fail(failure);
  }

  #failureOf({ item: index }: ItemTask, thrown: unknown): KumikoError {
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

  /** Nothing comes of the list any more: what still runs is stopped. */
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

/** Microtasks that the end of a list may be away. */
const turn = 12;

/** Call options that name the node are those of what it runs; its handlers are around all items already. */
function placesOf({ plan }: Program, { owner, index, ownOptions }: Task): NodeCallOptionsTree | undefined {
  if (!(owner instanceof Run)) return undefined;
  const given = owner.nodeCallOptions?.inside.get(owner.node(index).key);
  if (given === undefined && ownOptions === undefined) return undefined;
  const lone = plan.nodes[LONE_INDEX] as PlanNode;
  const node: PlanNode = { ...lone, settings: { ...lone.settings, options: ownOptions } };
  const options = mergeOptions(node, owner.overrides?.kinds, given, undefined);
  return { inside: new Map([[lone.key, { options, inside: given?.inside ?? new Map() }]]) };
}
