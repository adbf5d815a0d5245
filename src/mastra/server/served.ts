import { isObject } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMastraOption } from "../errors.js";
import type { MiddlewareContext } from "./middleware.js";

/** Answers a request: with a route of Mastra, or else with `pass`, inside of the middleware. */
export type Serve = (request: Request, pass: (context: MiddlewareContext) => Promise<Response>) => Promise<Response>;

/** How a Mastra serves inside another server. */
export const served: unique symbol = Symbol.for("kumiko/mastra/served") as never;

/** A Mastra, as another server needs it. */
export interface ServedMastra {
  readonly [served]: Serve;
}

export function middlewareOf(mastra: object, where: string): Serve {
  if (isObject(mastra) && served in mastra) return mastra[served] as Serve;
  throw invalidMastraOption(`${where} takes a Mastra: ${where}(mastra) (got ${kindOf(mastra)}).`);
}
