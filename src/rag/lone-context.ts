import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import { RequestContext } from "../components/request-context.js";
import { firstInvocation } from "../components/resume-info.js";
import { hasMethod, isFields } from "../is.js";
import { invalidValue, misplacedOption, outsideRun } from "./errors.js";

/** The context with which a component is called outside a run: any fields of it, or none. */
export type PartialContext<Options = unknown> = Partial<NodeContext<unknown, Options>>;

/** The context of a call: that of the run, or else the given fields, completed. */
export function wholeContext<Options>(
  ctx: PartialContext<Options> | undefined,
): NodeContext<unknown, Options | undefined> {
  return isWhole(ctx) ? ctx : loneContext<Options | undefined>(undefined, ctx);
}

/** The method that calls a component, and which of its options belong to a call, and which to its creation. */
export interface CallOptionNames {
  readonly method: string;
  readonly component: string;
  readonly call: readonly string[];
  readonly creation: readonly string[];
}

export const retrieverCall: CallOptionNames = {
  method: "retrieve",
  component: "retriever",
  call: ["index", "topK", "scoreThreshold"],
  creation: ["filter", "rerank", "embedder", "hybrid"],
};

export const indexerCall: CallOptionNames = {
  method: "store",
  component: "indexer",
  call: ["index"],
  creation: ["embedder"],
};

/** Like {@link wholeContext}. Outside a run, it throws for options that stand where nothing reads them. */
export function contextOfCall<Options>(
  ctx: PartialContext<Options> | undefined,
  { method, component, call, creation }: CallOptionNames,
): NodeContext<unknown, Options | undefined> {
  if (ctx === undefined || isWhole(ctx)) return wholeContext(ctx);
  if (!isFields(ctx)) throw invalidValue(`The second argument of ${method}`, "a context", ctx);
  const { options, ...fields } = ctx;
  const name = call.find((option) => option in fields);
  if (name !== undefined) throw misplacedOption(method, name);
  const lost = Object.fromEntries(Object.entries(fields).filter(([field]) => creation.includes(field)));
  checkOptions(method, { ...lost, ...options }, call, {
    hint: (option) => (creation.includes(option) ? `Set it where you create the ${component}.` : ""),
  });
  return wholeContext(ctx);
}

/** The context for calling a nested component: the caller's context with other options, or one outside of any run. */
export function contextFor<Options>(
  ctx: PartialContext | undefined,
  options: Options,
  signal?: AbortSignal,
): NodeContext<unknown, Options> {
  const whole = isWhole(ctx) ? ctx : loneContext({}, ctx);
  return whole.with(signal === undefined ? { options } : { options, signal }) as NodeContext<unknown, Options>;
}

function isWhole<Options>(ctx: PartialContext<Options> | undefined): ctx is NodeContext<unknown, Options> {
  return hasMethod(ctx, "with");
}

/** The context of a component called outside of a run. It has a signal, but cannot interrupt or ask. */
function loneContext<Options>(
  options: Options,
  given: PartialContext<Options> | undefined,
): NodeContext<unknown, Options> {
  const { requestContext, ...fields } = definedFields(given);
  const context: NodeContext<unknown, Options> = {
    options,
    signal: aliasedSignal(fields) ?? new AbortController().signal,
    state: undefined,
    address: "",
    taskKey: "",
    resume: firstInvocation,
    runInfo: { runId: "", parentRunId: undefined, name: "", type: "", component: "lambda", address: "" },
    attempt: 1,
    heartbeat: () => undefined,
    progress: () => undefined,
    processState: () => Promise.reject(outsideRun("processState")),
    ask: () => Promise.reject(outsideRun("ask")),
    interrupt: () => {
      throw outsideRun("interrupt");
    },
    once: async (_key, work) => work(),
    ...fields,
    requestContext: requestContextOf(requestContext),
    with: (others) => ({ ...context, ...others }),
  };
  return context;
}

function definedFields<Options>(given: PartialContext<Options> | undefined): PartialContext<Options> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
}

/** Tools know the signal as `abortSignal` too. */
function aliasedSignal(fields: object): AbortSignal | undefined {
  return "abortSignal" in fields && fields.abortSignal instanceof AbortSignal ? fields.abortSignal : undefined;
}

/** Accepts a record of values in place of a request context. */
function requestContextOf(given: unknown): RequestContext {
  if (hasMethod(given, "get")) return given as RequestContext;
  return new RequestContext(isFields(given) ? given : {});
}
