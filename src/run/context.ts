import type { HandlerList } from "../callbacks/handler-list.js";
import type { RunInfo } from "../callbacks/run-info.js";
import type { Span } from "../callbacks/span.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import type { Invocation } from "../checkpoint/pause/invocation.js";
import type { Ask, InterruptOptions, NodeContext } from "../components/context.js";
import type { RequestContext } from "../components/request-context.js";
import { firstInvocation, type ResumeInfo } from "../components/resume-info.js";
import type { StateKey } from "../components/state-key.js";
import type { ToolOption } from "../components/tool-options.js";
import type { Runtime } from "../compose/runtime.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { Children } from "./children.js";
import type { Environment } from "./environment.js";
import { stateNotFound } from "./errors.js";
import type { Place, Places } from "./policies/places.js";
import { askAt, interruptAt, onceAt } from "./questions.js";
import { abortError, type Scope } from "./scope.js";
import type { StateCell } from "./state-cell.js";

/** The call options of a run that do not belong to one node. */
export interface CallOptions {
  readonly tool: readonly ToolOption[] | undefined;
}

/**
 * What a node or a tool call gets as `ctx`, and all that a run with `parent: ctx` needs to continue from here. Everything is
 * computed when it is read.
 */
export abstract class Context implements NodeContext {
  /** Shared by all contexts of one run, child runs included. */
  abstract readonly environment: Environment;
  /** Aborted together with this context. */
  abstract readonly scope: Scope;
  /** The same, if there is one already. */
  abstract readonly openedScope: Scope | undefined;
  /** The context that this one is inside of: of the graph's node in the outer graph, or of the tools node of a call. */
  abstract readonly around: Context | undefined;
  /** What saves the run, or can ask it to stop. */
  abstract readonly journal: Journal | undefined;
  /** The span of this context; `undefined` when no handler listens. */
  abstract readonly span: Span | undefined;
  /** The nearest span, from here outwards: the parent of the spans inside. */
  abstract readonly enclosingSpan: Span | undefined;
  /** The handlers of what runs inside. */
  abstract readonly handlers: HandlerList | undefined;
  /** The keys of the nodes on the way here. */
  abstract readonly nodePath: readonly string[];
  /** The nearest state, that of its own graph first. */
  abstract readonly stateCell: StateCell | undefined;
  abstract readonly callOptions: CallOptions;
  abstract readonly runtime: Runtime;
  /** The child runs that are open here; made when the first one starts. */
  abstract readonly children: Children;
  abstract readonly openedChildren: Children | undefined;
  /** What this invocation remembers; made when it is first needed. */
  abstract readonly invocation: Invocation;
  /** The same, if there is one. */
  abstract readonly openedInvocation: Invocation | undefined;
  /** Which invocations lead here, from the root of the run: tells one task of a loop from the next. */
  abstract readonly invocationPath: string;
  /** Whether the node or the call has returned, so that nothing can be asked for it any more. */
  abstract readonly isOver: boolean;
  /** This context waits for an answer: nothing new starts in the graphs around it. */
  abstract noteStop(): void;

  abstract readonly address: string;
  abstract readonly runInfo: RunInfo;
  abstract readonly options: unknown;
  abstract readonly state: unknown;

  /** The agent whose node this is; its tools are told. */
  get callingAgent(): { readonly name: string; readonly threadId?: string | undefined } | undefined {
    return undefined;
  }

  /** This context itself, also for a copy made by `with`. */
  get origin(): Context {
    return this;
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

  /** Something goes on here: that counts for the time limits of all that is around it. */
  beat(): void {
    this.around?.beat();
  }

  /** Whether what is done inside is kept, so that a further attempt does not repeat it. */
  get retains(): boolean {
    return this.around?.retains ?? false;
  }

  /** How many bodies may run at a time here. */
  get places(): Places | undefined {
    return this.around?.places;
  }

  /** What this body holds where bodies are limited; the runs inside share it. */
  get place(): Place | undefined {
    return this.around?.place;
  }

  get processState(): <S, R>(key: StateKey<S>, use: (state: S) => R | Promise<R>) => Promise<R> {
    return async (key, use) => {
      const cell = this.stateCell?.find(key as StateKey<never>);
      if (cell === undefined) throw stateNotFound(key.name, this.address, statesFrom(this.stateCell));
      return cell.use(use, this);
    };
  }

  get taskKey(): string {
    return `${this.environment.runKey}:${this.address}:${this.invocationPath}`;
  }

  get ask(): Ask {
    return (key: string, info: unknown, schema?: AnyStandardSchema | JsonSchema) => askAt(this, key, info, schema);
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
   * Waits for what began here and has not settled: child runs, answers that are being checked, work that is remembered.
   * Rejects if the context was used wrongly.
   */
  settle(): Promise<void> | undefined {
    const { openedChildren, openedInvocation: openedVisit } = this;
    const isSettled =
      openedChildren === undefined && openedVisit?.mistake === undefined && openedVisit?.isBusy !== true;
    return isSettled ? undefined : settleOpen(this);
  }

  /** Saves, where a run is saved after every finished task. */
  commit(): Promise<void> | undefined {
    return this.journal?.commit();
  }

  get with(): (fields: Record<string, unknown>) => NodeContext {
    return (fields) => copyOf(this, fields);
  }
}

/** The same context with some of its fields replaced. */
export function copyOf(context: Context, fields: Record<string, unknown>): NodeContext {
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
