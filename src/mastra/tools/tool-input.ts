import type { RequestContext } from "../../components/request-context.js";
import { isPlainObject } from "../../is.js";
import type { AnyMastra } from "../any-mastra.js";
import type { Untyped } from "../untyped.js";
import type { StepWriter } from "../workflow/step.js";

/** The parts of a call that `execute` can destructure from its first argument, in addition to the fields of the input. */
export interface ToolParts<Input, Resumed = unknown, Suspended = unknown> {
  /** The input itself. */
  readonly context: Input;
  readonly runtimeContext: RequestContext<Record<string, Untyped>>;
  readonly requestContext: RequestContext<Record<string, Untyped>>;
  readonly mastra: AnyMastra;
  readonly abortSignal: AbortSignal;
  readonly suspend: (payload?: Suspended) => Promise<never>;
  readonly resumeData: Resumed | undefined;
  readonly writer: StepWriter;
}

/**
 * The first argument of `execute`: the input, with the parts of the call as properties that are not enumerable. Fields of the
 * input win; spread and JSON see only the input.
 */
export type ToolInput<Input, Resumed = unknown, Suspended = unknown> = Input extends object
  ? string extends keyof Input
    ? ToolParts<Input, Resumed, Suspended> & Readonly<Record<string, Untyped>>
    : Input & Omit<ToolParts<Input, Resumed, Suspended>, keyof Input>
  : Input;

const partNames = [
  ...["context", "runtimeContext", "requestContext", "mastra", "abortSignal", "suspend", "resumeData", "writer"],
] as const;

/** Copies the input and adds the parts of the call as getters. */
export function withParts(input: unknown, ctx: Partial<ToolParts<unknown>>): unknown {
  if (typeof input !== "object" || input === null) return input;
  const copy: object = isPlainObject(input)
    ? { ...input }
    : Array.isArray(input)
      ? [...input]
      : Object.create(Object.getPrototypeOf(input), Object.getOwnPropertyDescriptors(input));
  for (const name of partNames) {
    if (Object.hasOwn(copy, name)) continue;
    const get = name === "context" ? () => input : () => ctx[name];
    Object.defineProperty(copy, name, { get, enumerable: false, configurable: true });
  }
  return copy;
}
