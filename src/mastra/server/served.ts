import { isObject } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMastraOption } from "../errors.js";
import type { MiddlewareContext } from "./middleware.js";

/** Answers a request inside the middleware: with a route of Mastra, or by calling `pass`. @internal */
export type Serve = (request: Request, pass: (context: MiddlewareContext) => Promise<Response>) => Promise<Response>;

/** The property through which server adapters call a {@link Mastra}. */
export const served: unique symbol = Symbol.for("kumiko/mastra/served") as never;

/** The part of a {@link Mastra} that server adapters use. @internal */
export interface ServedMastra {
  readonly [served]: Serve;
}

export function middlewareOf(mastra: object, where: string): Serve {
  if (isObject(mastra) && served in mastra) return mastra[served] as Serve;
  throw invalidMastraOption(`${where} takes a Mastra as its first argument (got ${kindOf(mastra)}).`);
}
