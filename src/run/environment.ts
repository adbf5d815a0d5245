import { randomId } from "../callbacks/random-id.js";
import type { Journal } from "../checkpoint/journal.js";
import type { RunSnapshot } from "../checkpoint/snapshot.js";
import { type AnyRequestContext, RequestContext } from "../components/request-context.js";
import type { ParseAnswer } from "./parse-answer.js";

type GivenRequestContext = AnyRequestContext | Readonly<Record<string, unknown>> | undefined;

/** Runs graphs so that account is kept of their tasks; given a `Run`, which this file does not know. */
export interface GraphRunner {
  start(run: object, input: unknown): Promise<unknown>;
  resume(run: object, snapshot: RunSnapshot, input: unknown): Promise<unknown>;
  /** Applies the schema of a question to its answer, which only a resumed run has. */
  readonly parseAnswer: ParseAnswer;
}

/** What all places of one run share, from its root down, child runs included. */
export class Environment {
  /** The same for all of them, also for a child run that was given request values of its own. */
  readonly root: Environment;
  private givenContext: GivenRequestContext;
  private madeContext: RequestContext | undefined = undefined;
  private ownRunKey: string | undefined = undefined;
  private ownJournal: Journal | undefined = undefined;
  private ownTracking: GraphRunner | undefined = undefined;

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

  /** What saves the run, or can ask it to stop; `undefined` when nothing does. */
  get journal(): Journal | undefined {
    return this.root.ownJournal;
  }

  /** What runs the graphs of a run that has a journal. */
  get tracking(): GraphRunner | undefined {
    return this.root.ownTracking;
  }

  /** Before the run begins. */
  keepJournal(journal: Journal, tracking: GraphRunner): void {
    this.root.ownJournal = journal;
    this.root.ownTracking = tracking;
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
