import { type AnyRequestContext, RequestContext } from "../../components/request-context.js";

type GivenRequestContext = AnyRequestContext | Readonly<Record<string, unknown>> | undefined;

/** What all places of one run share, from its root down, child runs included. */
export class Environment {
  /** The same for all of them, also for a child run that was given request values of its own. */
  readonly root: Environment;
  #given: GivenRequestContext;
  #requestContext: RequestContext | undefined = undefined;

  constructor(requestContext: GivenRequestContext, outer?: Environment) {
    this.#given = requestContext;
    this.root = outer?.root ?? this;
  }

  /** For a child run: its own request values, if it was given some, else these. */
  for(requestContext: GivenRequestContext): Environment {
    return requestContext === undefined ? this : new Environment(requestContext, this);
  }

  /** The request context that was given; a plain record becomes one at the first read. */
  get requestContext(): RequestContext {
    this.#requestContext ??= asRequestContext(this.#given);
    return this.#requestContext;
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
