import type { Span } from "../../callbacks/span.js";
import type { ToolContext, ToolOutput } from "../../components/tool.js";
import type { ConcatRegistry } from "../../schema/concat/registry.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { SchemaValidator, UncheckedPart } from "../../schema/schema-validator.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { SchemaCheck } from "../../schema/validation/schema-check.js";
import type { ToolCallName, ToolError } from "./errors.js";
import type { AnyToolHooks } from "./tool-hooks.js";
import type { OutputValidation } from "./tool-settings.js";

/** Where a tool keeps its stages, for a tools node. The number counts changes of their contract: see `stagesOf`. */
export const toolStages: unique symbol = Symbol.for("kumiko/tool-stages/1") as never;

/** One call, as the stages of its tool see it: what they need to know, and where they note things. */
export interface StagedCall extends ToolCallName {
  readonly validator: SchemaValidator | undefined;
  readonly registry: ConcatRegistry | undefined;
  /** For tools that do not say it themselves. */
  readonly outputValidation: OutputValidation | undefined;
  /** Whether arguments that do not fit are repaired where it is clear what was meant. */
  readonly coerceArguments: boolean;
  readonly messages: readonly AgenticMessage[];
  readonly abortSignal: AbortSignal;
  /** Whatever comes now is too late to count. */
  readonly isLate: boolean;
  /** The last text that was made from a value that is not a string. */
  jsonText: string | undefined;
  /** Whether a question of this key was asked in an earlier execution of this call. */
  hasAsked(key: string): boolean;
  /** Told of output that does not fit where that is only worth a warning. */
  warn(problem: ToolError): void;
  /** Told of a part of a schema that cannot be checked. */
  unchecked(part: UncheckedPart, schema: string): void;
  /** Sends an event to the handlers. */
  report(event: StagedEvent): void;
}

/** What there is to tell of a call on its way. */
export interface StagedEvent {
  readonly kind: string;
  /** What went wrong. An event with an error is never lost: see {@link reportEvent}. */
  readonly error?: unknown;
  readonly [detail: string]: unknown;
}

/** Sends an event to the handlers. Without one that takes events, an error is printed to the console. */
export function reportEvent(span: Span | undefined, event: StagedEvent): void {
  if (span?.handlers.hasEvent === true) span.event(event);
  else if ("error" in event) console.error(event);
}

/** What comes out of a tool at once, later, or piece by piece. */
export type StagedOutput = WholeOrPieces | Promise<WholeOrPieces>;

export type WholeOrPieces = ToolOutput | StreamReader<ToolOutput>;

/**
 * A tool in separate steps, so that a tools node can do the first for all calls before it does the second for any, and put
 * other things between them. At least one of `invoke` and `stream` is there.
 */
export interface ToolStages {
  /** Gives the input for `invoke` and `stream`, or a promise of it; fails with a `ToolError`. */
  readInput(text: string, call: StagedCall): unknown;
  /** Whether the values of the request are what the tool needs, and if not, why; never fails. */
  readonly checkRequest?:
    | ((values: object, call: StagedCall) => ToolError | undefined | Promise<ToolError | undefined>)
    | undefined;
  readonly hooks?: AnyToolHooks | undefined;
  /** Runs the tool: gives what it gives. */
  readonly invoke?: ((input: unknown, ctx: ToolContext) => unknown) | undefined;
  /** Makes what a model reads of what `invoke` gave, at the end of its promise. May fail with a `ToolError`. */
  finish(value: unknown, input: unknown, call: StagedCall): StagedOutput;
  /** Runs a tool that streams: nothing happens before the first read. */
  readonly stream?: ((input: unknown, ctx: ToolContext, call: StagedCall) => StreamReader<ToolOutput>) | undefined;
  /**
   * Asks somebody whether the call may run, where that is wanted: gives what it runs with, or a promise of it. Fails with a
   * `ToolError` of kind "denied".
   */
  readonly approve?: ((input: unknown, ctx: ToolContext, call: StagedCall) => Approved | Promise<Approved>) | undefined;
  /** The same for a call that was asked about when the tool still needed it. */
  readonly approveAnswered?: ToolStages["approve"];
  /** What a tool may be suspended and resumed with. */
  readonly suspension?: Suspension | undefined;
  /** Whether somebody outside does the work, so that a call always has to wait. */
  readonly isClientTool?: boolean | undefined;
  /** For each call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** What a call runs with; `text` when somebody has changed its arguments. */
export interface Approved {
  readonly input: unknown;
  readonly text?: string | undefined;
}

export interface Suspension {
  readonly payload: SchemaCheck | undefined;
  readonly answer: SchemaCheck | undefined;
  /** With which the question travels. */
  readonly answerSchema: AnyStandardSchema | JsonSchema | undefined;
}

export interface HasToolStages {
  readonly [toolStages]: ToolStages;
}

export function hasToolStages(value: object): value is HasToolStages {
  return toolStages in value;
}
