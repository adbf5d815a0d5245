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

/** The key of a tool's stages, for a tools node. Its number is the version of the contract: see `stagesOf`. */
export const toolStages: unique symbol = Symbol.for("kumiko/tool-stages/1") as never;

/** One call, as the stages of its tool see it. */
export interface StagedCall extends ToolCallName {
  readonly validator: SchemaValidator | undefined;
  readonly registry: ConcatRegistry | undefined;
  /** The setting of the node, for tools without one of their own. */
  readonly outputValidation: OutputValidation | undefined;
  /** Whether arguments that do not fit are repaired where the cause is clear. */
  readonly coerceArguments: boolean;
  readonly messages: readonly AgenticMessage[];
  readonly abortSignal: AbortSignal;
  /** Whether the call has ended, so that results no longer count. */
  readonly isLate: boolean;
  /** The last text that is JSON of a value that is not a string. */
  jsonText: string | undefined;
  /** What was decided about the call before the tool is asked. */
  readonly approval?: CallPolicy | undefined;
  /** Whether a question of this key was asked in an earlier execution of this call. */
  hasAsked(key: string): boolean;
  /** Called for output that does not fit, if that is only a warning. */
  warn(problem: ToolError): void;
  /** Called for a part of a schema that cannot be checked. */
  unchecked(part: UncheckedPart, schema: string): void;
  /** Sends an event to the handlers. */
  report(event: StagedEvent): void;
}

/** What was decided about a call outside of its tool. */
export interface CallPolicy {
  /** Whether it runs without a question. */
  readonly isGiven: boolean;
  /** Called when it is approved for always. */
  onAlways(): void;
}

/** An event of a call, for handlers. */
export interface StagedEvent {
  readonly kind: string;
  /** An error. It is never lost: see {@link reportEvent}. */
  readonly error?: unknown;
  readonly [detail: string]: unknown;
}

/** Sends an event to the handlers. Without one that takes events, an error is printed to the console. */
export function reportEvent(span: Span | undefined, event: StagedEvent): void {
  if (span?.handlers.hasEvent === true) span.event(event);
  else if ("error" in event) console.error(event);
}

/** The output of a tool: directly, as a promise, or as a stream. */
export type StagedOutput = WholeOrPieces | Promise<WholeOrPieces>;

export type WholeOrPieces = ToolOutput | StreamReader<ToolOutput>;

/**
 * A tool in separate steps, so that a tools node can validate all calls before it runs any, and do other things in between. Has
 * at least one of `invoke` and `stream`.
 *
 * @internal
 */
export interface ToolStages {
  /** Parses and validates the input for `invoke` and `stream`; may return a promise. Fails with a `ToolError`. */
  readInput(text: string, call: StagedCall): unknown;
  /** Returns why the tool cannot run with the values of the request context; `undefined` if it can. Never throws. */
  readonly checkRequest?:
    | ((values: object, call: StagedCall) => ToolError | undefined | Promise<ToolError | undefined>)
    | undefined;
  readonly hooks?: AnyToolHooks | undefined;
  /** Runs the tool and returns its raw result. */
  readonly invoke?: ((input: unknown, ctx: ToolContext) => unknown) | undefined;
  /** Turns the awaited result of `invoke` into what a model reads. May fail with a `ToolError`. */
  finish(value: unknown, input: unknown, call: StagedCall): StagedOutput;
  /** Runs a tool that streams. Nothing happens before the first read. */
  readonly stream?: ((input: unknown, ctx: ToolContext, call: StagedCall) => StreamReader<ToolOutput>) | undefined;
  /**
   * Asks for approval if the call needs it, and returns the input to run with, or a promise of it. Fails with a `ToolError` of
   * kind "denied".
   */
  readonly approve?: ((input: unknown, ctx: ToolContext, call: StagedCall) => Approved | Promise<Approved>) | undefined;
  /** The same for a call that needed approval when it was asked, although the tool no longer requires it. */
  readonly approveAnswered?: ToolStages["approve"];
  /** Whether each call needs approval, or a function decides. */
  readonly approval?: "always" | "sometimes" | undefined;
  /** The schemas for suspending and resuming a call. */
  readonly suspension?: Suspension | undefined;
  /** Whether an agent does the work. */
  readonly isAgent?: boolean | undefined;
  /** Whether a client does the work, so that a call always has to wait. */
  readonly isClientTool?: boolean | undefined;
  /** The time limit of each call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** The input of an approved call; `text` is set if the reviewer has edited the arguments. */
export interface Approved {
  readonly input: unknown;
  readonly text?: string | undefined;
}

export interface Suspension {
  readonly payload: SchemaCheck | undefined;
  readonly answer: SchemaCheck | undefined;
  /** The schema that is sent with the question. */
  readonly answerSchema: AnyStandardSchema | JsonSchema | undefined;
}

export interface HasToolStages {
  readonly [toolStages]: ToolStages;
}

export function hasToolStages(value: object): value is HasToolStages {
  return toolStages in value;
}
