import { randomId } from "../callbacks/random-id.js";
import type { Question, RunSnapshot } from "../checkpoint/document/snapshot.js";
import type { Journal } from "../checkpoint/journal/journal.js";
import { type AnyRequestContext, RequestContext } from "../components/request-context.js";
import type { KumikoError } from "../errors.js";
import type { ParseAnswer } from "./saved/parse-answer.js";
import type { Scope } from "./scope.js";
import type { StopRequest } from "./stop-request.js";

type GivenRequestContext = AnyRequestContext | Readonly<Record<string, unknown>> | undefined;

/** The lazily loaded part of the executor for runs that can be resumed. The `Run` is a `Scope` here, to avoid an import cycle. */
export interface SavedRuns {
  /** Creates the ledger of a `Run`. */
  newLedger(run: Scope): unknown;
  /** Throws if the nodes in a snapshot are of other kinds than those of the program. */
  checkKinds(from: RunSnapshot, program: object, path: readonly string[]): void;
  /** Parses an answer with the schema of its question; only a resumed run has answers. */
  readonly parseAnswer: ParseAnswer;
  /** The error of a question whose deadline has passed. */
  expired(asked: Question): KumikoError;
}

/** Shared by all contexts of one run, child runs included. */
export class Environment {
  /** The environment of the outermost run; child runs with request values of their own share it. */
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

  /** The environment of a child run: a new one if it has request values of its own, otherwise this one. */
  for(requestContext: GivenRequestContext): Environment {
    return requestContext === undefined ? this : new Environment(requestContext, this);
  }

  /** Identifies the run; the same after a resume. */
  get runKey(): string {
    if (this.root !== this) return this.root.runKey;
    this.ownRunKey ??= this.ownJournal?.runKey ?? randomId();
    return this.ownRunKey;
  }

  /** Set if the run was given a `control`. */
  get stopRequest(): StopRequest | undefined {
    return this.root.ownStopRequest;
  }

  set stopRequest(request: StopRequest) {
    this.root.ownStopRequest = request;
  }

  /** Set if the run is saved. */
  get journal(): Journal | undefined {
    return this.root.ownJournal;
  }

  /** Set if the run can be resumed. */
  get savedRuns(): SavedRuns | undefined {
    return this.root.ownSavedRuns;
  }

  /** Makes the run a saved one; called before it begins. */
  keepJournal(journal: Journal, savedRuns: SavedRuns): void {
    this.root.ownJournal = journal;
    this.root.ownSavedRuns = savedRuns;
  }

  /** Calls back when a task starts waiting for an answer, or the run is asked to stop. Returns a function to unsubscribe. */
  onHalt(listener: () => void): () => void {
    const { root } = this;
    root.haltListeners ??= new Set();
    root.haltListeners.add(listener);
    return () => root.haltListeners?.delete(listener);
  }

  /** Notifies the listeners of {@link onHalt}. */
  notifyHalt(): void {
    for (const listener of [...(this.root.haltListeners ?? [])]) listener();
  }

  /** The caller's request context; a plain record is converted at the first read. */
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

/** Also true for an instance of another copy of this package. */
function isRequestContext(value: object): value is RequestContext {
  return (
    value instanceof RequestContext ||
    (typeof Reflect.get(value, "get") === "function" && typeof Reflect.get(value, "entries") === "function")
  );
}
