import type { HandlerList } from "../callbacks/handler-list.js";
import type { RunInfo } from "../callbacks/run-info.js";
import type { Span } from "../callbacks/span.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import type { Invocation } from "../checkpoint/pause/invocation.js";
import type { Ask, AskOptions, InterruptOptions, NodeContext } from "../components/context.js";
import type { RequestContext } from "../components/request-context.js";
import { firstInvocation, type ResumeInfo } from "../components/resume-info.js";
import type { StateKey } from "../components/state-key.js";
import type { ToolOption } from "../components/tool-options.js";
import type { Runtime } from "../compose/runtime.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { Children } from "./children.js";
import type { Environment } from "./environment.js";
import { stateNotFound } from "./errors.js";
import type { LocalRun } from "./local.js";
import type { Permit, Semaphore } from "./policies/semaphore.js";
import { askAt, interruptAt, onceAt } from "./questions.js";
import { abortError, type Scope } from "./scope.js";
import type { StateCell } from "./state-cell.js";

/** Call options of a run that apply to no single node. */
export interface CallOptions {
  readonly tool: readonly ToolOption[] | undefined;
}

/**
 * The `ctx` of a node or a tool call, with all that a child run (`parent: ctx`) inherits. Everything is computed when it is
 * read.
 */
export abstract class Context implements NodeContext {
  /** Shared by all contexts of one run, child runs included. */
  abstract readonly environment: Environment;
  /** Aborted together with this context. */
  abstract readonly scope: Scope;
  /** {@link scope}, if it exists already. */
  abstract readonly openedScope: Scope | undefined;
  /** The enclosing context: that of the outer graph's node, or for a tool call that of the tools node. */
  abstract readonly around: Context | undefined;
  /** Set if the run is saved. */
  abstract readonly journal: Journal | undefined;
  /** The span of this context; `undefined` if no handler listens. */
  abstract readonly span: Span | undefined;
  /** The nearest span, this one included: the parent of spans inside. */
  abstract readonly enclosingSpan: Span | undefined;
  /** The handlers of what runs inside. */
  abstract readonly handlers: HandlerList | undefined;
  /** The keys of the nodes that lead here. */
  abstract readonly nodePath: readonly string[];
  /** The nearest state, that of its own graph first. */
  abstract readonly stateCell: StateCell | undefined;
  abstract readonly callOptions: CallOptions;
  abstract readonly runtime: Runtime;
  /** The open child runs; created when the first one starts. */
  abstract readonly children: Children;
  abstract readonly openedChildren: Children | undefined;
  /** Questions, answers and remembered work of this context; created when first needed. */
  abstract readonly invocation: Invocation;
  /** {@link invocation}, if it exists already. */
  abstract readonly openedInvocation: Invocation | undefined;
  /** The steps and child runs that lead here, from the root: distinguishes the iterations of a loop. */
  abstract readonly invocationPath: string;
  /** Whether the node or call has returned and can ask nothing more. */
  abstract readonly isOver: boolean;
  /** Marks this context as waiting for an answer: nothing new starts in the enclosing graphs. */
  abstract noteStop(): void;
  /** Undoes {@link noteStop} when something inside was withdrawn, unless something else in this context waits. */
  abstract dropStop(): void;

  abstract readonly address: string;
  abstract readonly runInfo: RunInfo;
  abstract readonly options: unknown;
  abstract readonly state: unknown;

  /** This context itself, also for a copy made by `with`. */
  get origin(): Context {
    return this;
  }

  /** The run that it is in. */
  get localRun(): LocalRun | undefined {
    return this.around?.localRun;
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  get requestContext(): RequestContext {
    return this.environment.requestContext;
  }

  get progress(): (event: unknown) => void {
    return (event) => {
      this.beat();
      this.span?.event({ kind: "progress", event });
    };
  }

  get attempt(): number {
    return 1;
  }

  get heartbeat(): () => void {
    return () => this.beat();
  }

  /** Reports activity: restarts the idle time limits of all enclosing nodes. */
  beat(): void {
    this.around?.beat();
  }

  /** Whether finished work inside is kept for the next attempt. */
  get retains(): boolean {
    return this.around?.retains ?? false;
  }

  /** Limits how many node bodies run at a time (`maxConcurrency`), if there is one. */
  get semaphore(): Semaphore | undefined {
    return this.around?.semaphore;
  }

  /** The permit that this body holds under that limit; runs inside share it. */
  get permit(): Permit | undefined {
    return this.around?.permit;
  }

  get processState(): <S, R>(key: StateKey<S>, use: (state: S) => R | Promise<R>) => Promise<R> {
    return async (key, use) => {
      const cell = this.stateCell?.find(key as StateKey<never>);
      if (cell === undefined) throw stateNotFound(key.name, this.address, statesFrom(this.stateCell));
      this.usesState(cell);
      return cell.use(use, this);
    };
  }

  /** A state is used here: see {@link Task.hasChangedState}. */
  usesState(cell: StateCell): void {
    this.around?.usesState(cell);
  }

  get taskKey(): string {
    return `${this.environment.runKey}:${this.address}:${this.invocationPath}`;
  }

  get ask(): Ask {
    return (key: string, info: unknown, schema?: AnyStandardSchema | JsonSchema, options?: AskOptions) =>
      askAt(this, { key, info, schema, options });
  }

  get interrupt(): (info: unknown, options?: InterruptOptions) => never {
    return (info, options) => interruptAt(this, info, options);
  }

  get once(): <T>(key: string, work: () => T | Promise<T>) => Promise<T> {
    return (key, work) => onceAt(this, key, work);
  }

  get resume(): ResumeInfo {
    return this.openedInvocation?.resume ?? firstInvocation;
  }

  /**
   * Waits for what was started here: child runs, answers being parsed, the work of `once`. Rejects if the context was misused.
   * `undefined` if there is nothing to wait for.
   */
  settle(): Promise<void> | undefined {
    const { openedChildren, openedInvocation } = this;
    const isSettled =
      openedChildren === undefined && openedInvocation?.mistake === undefined && openedInvocation?.isBusy !== true;
    return isSettled ? undefined : settleOpen(this);
  }

  /** With `durability: "step"`, saves the run. */
  commit(): Promise<void> | undefined {
    return this.journal?.commit();
  }

  /** Whether the output of its function is saved as soon as it returns: then what was done just before needs no save. */
  get savesOutput(): boolean {
    return false;
  }

  get with(): (fields: Record<string, unknown>) => NodeContext {
    return (fields) => contextWith(this, fields);
  }
}

/** A copy of a context with some fields replaced. */
export function contextWith(context: Context, fields: Record<string, unknown>): NodeContext {
  const copy: NodeContext = Object.create(context, { origin: { value: context.origin } });
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

async function settleOpen({ openedChildren: children, openedInvocation: invocation }: Context): Promise<void> {
  for (;;) {
    await children?.settle(readerLeft());
    if (invocation?.mistake !== undefined) throw invocation.mistake;
    if (invocation?.isBusy !== true) return;
    await invocation.nextChange();
  }
}

function readerLeft(): DOMException {
  return abortError("This stream has no reader any more: the node that opened it is waiting for an answer.");
}

function statesFrom(cell: StateCell | undefined): string[] {
  const names: string[] = [];
  for (let current = cell; current !== undefined; current = current.outer) names.push(current.key.name);
  return names;
}
