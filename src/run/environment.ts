import { randomId } from "../callbacks/random-id.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import { type AnyRequestContext, RequestContext } from "../components/request-context.js";
import type { ParseAnswer } from "./saved/parse-answer.js";
import type { StopRequest } from "./stop-request.js";

type GivenRequestContext = AnyRequestContext | Readonly<Record<string, unknown>> | undefined;

/** The part of the executor that only runs need which can be resumed. */
export interface SavedRuns {
  /** A ledger for a `Run`, which this file does not know. */
  newLedger(run: never): unknown;
  /** Applies the schema of a question to its answer, which only a resumed run has. */
  readonly parseAnswer: ParseAnswer;
}

/** Shared by all contexts of one run, child runs included. */
export class Environment {
  /** The same for all of them, also for a child run that was given request values of its own. */
  readonly root: Environment;
  private givenContext: GivenRequestContext;
  private madeContext: RequestContext | undefined = undefined;
  private ownRunKey: string | undefined = undefined;
  private ownJournal: Journal | undefined = undefined;
  private ownStopRequest: StopRequest | undefined = undefined;
  private ownSavedRuns: SavedRuns | undefined = undefined;
  private haltListeners: Set<() => void> | undefined = undefined;

  constructor(requestContext: GivenRequestContext, outer?: Environment) {
    this.givenContext = requestContext;
    this.root = outer?.root ?? this;
  }

  /** For a child run: its own request values, if it was given some, else these. */
  for(requestContext: GivenRequestContext): Environment {
    return requestContext === undefined ? this : new Environment(requestContext, this);
  }

  /** Names this run among all others; the same after a resume. */
  get runKey(): string {
    if (this.root !== this) return this.root.runKey;
    this.ownRunKey ??= this.ownJournal?.runKey ?? randomId();
    return this.ownRunKey;
  }

  /** What can ask the run to stop; `undefined` when nothing does. */
  get stopRequest(): StopRequest | undefined {
    return this.root.ownStopRequest;
  }

  set stopRequest(request: StopRequest) {
    this.root.ownStopRequest = request;
  }

  /** What saves the run; `undefined` when nothing does. */
  get journal(): Journal | undefined {
    return this.root.ownJournal;
  }

  /** What makes ledgers; `undefined` for a run that nobody can resume. */
  get savedRuns(): SavedRuns | undefined {
    return this.root.ownSavedRuns;
  }

  /** Before the run begins. */
  keepJournal(journal: Journal, savedRuns: SavedRuns): void {
    this.root.ownJournal = journal;
    this.root.ownSavedRuns = savedRuns;
  }

  /** Calls back when something begins to wait for an answer, or the run is asked to stop; gives what ends that. */
  onHalt(listener: () => void): () => void {
    const { root } = this;
    root.haltListeners ??= new Set();
    root.haltListeners.add(listener);
    return () => root.haltListeners?.delete(listener);
  }

  /** Nothing new starts any more. */
  tellHalt(): void {
    for (const listener of [...(this.root.haltListeners ?? [])]) listener();
  }

  /** The request context that was given; a plain record becomes one at the first read. */
  get requestContext(): RequestContext {
    this.madeContext ??= asRequestContext(this.givenContext);
    return this.madeContext;
  }
}

function asRequestContext(given: GivenRequestContext): RequestContext {
  if (given === undefined) return new RequestContext();
  if (isRequestContext(given)) return given;
  return new RequestContext(given as Readonly<Record<string, unknown>>);
}

/** Also true for the request context of a second copy of this package. */
function isRequestContext(value: object): value is RequestContext {
  return (
    value instanceof RequestContext ||
    (typeof Reflect.get(value, "get") === "function" && typeof Reflect.get(value, "entries") === "function")
  );
}
