import { checkOptions } from "../check-options.js";
import { hasMethod, isFields } from "../is.js";
import type { ModelPrice } from "../models/cost-of.js";
import type { Meter, Tracer } from "./api.js";
import { invalidOtelOption } from "./errors.js";

/**
 * Returns the value to send in place of the given one, or `undefined` to leave the attribute out.
 *
 * @example
 * const redact: Redact = (value, attribute) =>
 *   attribute === "gen_ai.tool.call.result" ? undefined : JSON.stringify(value).replace(/\d{16}/g, "[card]");
 * const tracer = otelTracer({ content: redact });
 */
export type Redact = (value: unknown, attribute: string) => unknown;

/** Options of `otelTracer`. */
export interface OtelTracerOptions {
  /** Creates the spans. @default the tracer "kumiko" of the registered SDK */
  readonly tracer?: Tracer | undefined;
  /** Creates the metrics. @default the meter "kumiko" of the registered SDK */
  readonly meter?: Meter | undefined;
  /**
   * Whether to record messages, arguments, results and queries, and the texts of errors, which quote them. A function can redact
   * each value; it is asked for the texts of errors as `exception.message`. @default false
   */
  readonly content?: boolean | Redact | undefined;
  /** Whether to create spans for all nodes, such as tools nodes, functions and templates. @default false */
  readonly allNodes?: boolean | undefined;
  /** Prices per million tokens by `provider/model`, to record the cost of answers and runs. @default no costs */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
}

/** Throws if an option is unknown or invalid. */
export function checkOtelOptions(options: OtelTracerOptions): void {
  checkOptions("otelTracer", options, ["tracer", "meter", "content", "allNodes", "prices"]);
  const { tracer, meter, content, allNodes, prices } = options;
  if (tracer !== undefined && !hasMethod(tracer, "startSpan")) throw invalidOtelOption("tracer", "a Tracer", tracer);
  if (meter !== undefined && !hasMethod(meter, "createHistogram")) throw invalidOtelOption("meter", "a Meter", meter);
  if (content !== undefined && typeof content !== "boolean" && typeof content !== "function") {
    throw invalidOtelOption("content", "true, false or a function", content);
  }
  if (allNodes !== undefined && typeof allNodes !== "boolean") {
    throw invalidOtelOption("allNodes", "true or false", allNodes);
  }
  if (prices !== undefined && !isFields(prices)) throw invalidOtelOption("prices", "an object of prices", prices);
}
