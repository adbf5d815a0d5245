import { hasMethod, isFields } from "../is.js";
import type { ModelPrice } from "../models/cost-of.js";
import type { Meter, Tracer } from "./api.js";
import { invalidOtelOption, unknownOtelOption } from "./errors.js";

/**
 * Gives what may be sent in place of a value; `undefined` leaves the attribute out.
 *
 * @example
 * const redact: Redact = (value, attribute) =>
 *   attribute === "gen_ai.tool.call.result" ? undefined : JSON.stringify(value).replace(/\d{16}/g, "[card]");
 * const tracer = otelTracer({ content: redact });
 */
export type Redact = (value: unknown, attribute: string) => unknown;

/** Options of `otelTracer`. */
export interface OtelTracerOptions {
  /** Makes the spans. @default that of the registered SDK, named "kumiko" */
  readonly tracer?: Tracer | undefined;
  /** Makes the metrics. @default that of the registered SDK, named "kumiko" */
  readonly meter?: Meter | undefined;
  /**
   * Whether messages, arguments, results and queries are sent: they may be private. A function says what is sent in the place
   * of each. @default false
   */
  readonly content?: boolean | Redact | undefined;
  /** Whether tools nodes, functions, templates and every other node have spans too. @default false */
  readonly allNodes?: boolean | undefined;
  /** Prices per million tokens by `provider/model`, for the cost of answers and runs. @default no costs */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
}

const names = ["tracer", "meter", "content", "allNodes", "prices"] as const;

/** Throws for options that do not exist or cannot be. */
export function checkOtelOptions(options: OtelTracerOptions): void {
  if (!isFields(options)) throw invalidOtelOption("The options", "an object", options);
  const other = Object.keys(options).find((name) => !names.some((known) => known === name));
  if (other !== undefined) throw unknownOtelOption(other, names);
  const { tracer, meter, content, allNodes, prices } = options as OtelTracerOptions;
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
