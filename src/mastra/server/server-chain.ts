import { checkOptions } from "../../check-options.js";
import { KumikoError, messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMastraOption, noMiddlewareResponse } from "../errors.js";
import type { Middleware, MiddlewareContext, MiddlewareHandler } from "./middleware.js";
import { RequestValues } from "./request-values.js";

interface Entry {
  readonly handler: MiddlewareHandler;
  /** Returns the path parameters, or `undefined` if the path does not match. */
  readonly match: (path: string) => Readonly<Record<string, string>> | undefined;
}

/** The middleware of a server. */
export class ServerChain {
  readonly #entries: readonly Entry[];

  constructor(given: Middleware | readonly Middleware[] | undefined) {
    const list = given === undefined ? [] : Array.isArray(given) ? given : [given];
    this.#entries = list.map(entryOf);
  }

  /**
   * Runs the middleware and then `last`. Never rejects: an error becomes a response with its message, without its stack.
   */
  async answer(request: Request, last: (context: MiddlewareContext) => Promise<Response>): Promise<Response> {
    try {
      return await this.#run(new RequestValues(request), last);
    } catch (error) {
      return errorResponse(error);
    }
  }

  async #run(context: RequestValues, last: (context: MiddlewareContext) => Promise<Response>): Promise<Response> {
    const { path } = context.req;
    let response: Response | undefined;
    const run = async (index: number): Promise<void> => {
      const entry = this.#entries[index];
      if (entry === undefined) {
        response = await last(context);
        return;
      }
      const params = entry.match(path);
      if (params === undefined) return run(index + 1);
      context.params = params;
      let isNextCalled = false;
      const returned = await entry.handler(context, async () => {
        if (isNextCalled) throw invalidMastraOption(`A middleware called next() twice for ${path}. Call it only once.`);
        isNextCalled = true;
        await run(index + 1);
      });
      if (returned instanceof Response) response = returned;
      else if (!isNextCalled) throw noMiddlewareResponse(path);
    };
    await run(0);
    if (response === undefined) throw noMiddlewareResponse(path);
    return response;
  }
}

/** The response for an error. */
export function errorResponse(error: unknown): Response {
  const code = KumikoError.is(error) ? error.code : undefined;
  const body = { error: messageOf(error), ...(code !== undefined && { code }) };
  return Response.json(body, { status: statusOf(error, code) });
}

const statuses: Readonly<Record<string, number>> = {
  INVALID_REQUEST: 400,
  ANSWER_MISMATCH: 400,
  UNKNOWN_ENTRY: 404,
  UNKNOWN_CHECKPOINT: 404,
  UNKNOWN_INTERRUPT: 409,
  AMBIGUOUS_INTERRUPT: 409,
  ALREADY_ANSWERED: 409,
  CHECKPOINT_IN_USE: 409,
  CHECKPOINT_PENDING: 409,
  CHECKPOINT_CONFLICT: 409,
};

function statusOf(error: unknown, code: string | undefined): number {
  // without a node path, the error is about the request and not about a run
  if (KumikoError.is(error) && code === "VALIDATION" && error.nodePath.length === 0) return 400;
  return statuses[code ?? ""] ?? 500;
}

function entryOf(given: unknown, index: number): Entry {
  if (typeof given === "function") return { handler: given as MiddlewareHandler, match: () => ({}) };
  const { path, handler } = isFields(given) ? given : {};
  if (isFields(given)) checkOptions(`server.middleware[${index}]`, given, ["path", "handler"]);
  if (typeof path === "string" && typeof handler === "function") {
    return { handler: handler as MiddlewareHandler, match: pathMatcher(path) };
  }
  throw invalidMastraOption(
    `server.middleware[${index}] must be a function, or { path, handler } (got ${kindOf(given)}).`,
  );
}

/** Matches paths: `:name` matches one segment, `*` one segment or, at the end, the rest. */
export function pathMatcher(pattern: string): (path: string) => Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split("/").filter((part) => part !== "");
  return (path) => {
    const parts = path.split("/").filter((part) => part !== "");
    const params: Record<string, string> = {};
    for (const [index, part] of wanted.entries()) {
      if (part === "*" && index === wanted.length - 1) return params;
      const given = parts[index];
      if (given === undefined) return undefined;
      if (part.startsWith(":")) params[part.slice(1)] = decoded(given);
      else if (part !== "*" && part !== given) return undefined;
    }
    return parts.length === wanted.length ? params : undefined;
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
