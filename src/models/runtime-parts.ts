import type { NodeContext } from "../components/context.js";
import { type Fields, isFields } from "../is.js";
import type { SchemaValidator } from "../schema/schema-validator.js";

export function randomOf(ctx: NodeContext): () => number {
  const random = runtimeOf(ctx)?.random;
  return typeof random === "function" ? (random as () => number) : Math.random;
}

export function validatorOf(ctx: NodeContext): SchemaValidator | undefined {
  const validator = runtimeOf(ctx)?.schemaValidator;
  return isFields(validator) && typeof validator.compile === "function"
    ? (validator as object as SchemaValidator)
    : undefined;
}

/** The runtime of a context; those made by hand have none. */
export function runtimeOf(ctx: NodeContext): Fields | undefined {
  const runtime: unknown = "runtime" in ctx ? ctx.runtime : undefined;
  return isFields(runtime) ? runtime : undefined;
}
