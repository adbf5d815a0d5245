import type { AsyncDisposal } from "../../async-disposal.js";
import type { OptionCheck } from "../../check-options.js";
import { type ApprovalOptions, isApprovalOption } from "./approval-option.js";
import { selectionResult, unknownOperation } from "./errors.js";

/** The tools of a source: an array, with a function that closes the connection that the tools share. */
export type ClosableTools<Tool> = Tool[] &
  AsyncDisposal & {
    /** Closes the connection that was opened for these tools; one that was passed in stays open. A second call changes nothing. */
    close(): Promise<void>;
  };

/** Options of every source of tools: which operations become tools, how they are named, and which calls need approval. */
export interface ToolSourceOptions<Operation> extends ApprovalOptions<Operation> {
  /** The operations that become tools: their names, or a function. A name that does not exist is an error. @default all */
  readonly include?: readonly string[] | ((operation: Operation) => boolean) | undefined;
  /** The operations that do not become tools, even if `include` names them. @default none */
  readonly exclude?: readonly string[] | ((operation: Operation) => boolean) | undefined;
  /** Precedes the name of each tool: `"pets_"`. @default "" */
  readonly prefix?: string | undefined;
}

const isChoice = (value: unknown): boolean =>
  typeof value === "function" || (Array.isArray(value) && value.every((name) => typeof name === "string"));
const choice: OptionCheck = [isChoice, "an array of names, or a function that returns true or false"];

/** The checks of {@link ToolSourceOptions}, for `checkOptions`. Whether `requireApproval` names tools is checked once these are known. */
export const toolSourceOptions = {
  include: choice,
  exclude: choice,
  prefix: [(value) => typeof value === "string", "a string"],
  requireApproval: [isApprovalOption, "true, false, a function, or a record of these by tool name"],
} as const satisfies Readonly<Record<keyof ToolSourceOptions<never>, OptionCheck | true>>;

/** The source that a {@link ToolSelection} chooses from. */
interface SelectionRules<Operation> {
  /** The function, for errors: `openApiTools`. */
  readonly where: string;
  /** The word for its operations: `operation`, `method`, `tool`. */
  readonly kind: string;
  /** Whether a name in `include` or `exclude` means this operation. */
  isNamed(operation: Operation, name: string): boolean;
}

/** Chooses operations by the options `include` and `exclude`. */
export class ToolSelection<Operation> {
  readonly #options: ToolSourceOptions<Operation>;
  readonly #rules: SelectionRules<Operation>;

  constructor(options: ToolSourceOptions<Operation>, rules: SelectionRules<Operation>) {
    this.#options = options;
    this.#rules = rules;
  }

  has(operation: Operation): boolean {
    const { include, exclude } = this.#options;
    if (exclude !== undefined && this.#applies("exclude", exclude, operation)) return false;
    return include === undefined || this.#applies("include", include, operation);
  }

  /** Throws if `include` names an operation that the source does not have; `names` are listed in the error. */
  checkNames(operations: readonly Operation[], names: readonly string[]): void {
    const { include } = this.#options;
    if (include === undefined || typeof include === "function") return;
    const { where, kind, isNamed } = this.#rules;
    const unknown = include.find((name) => !operations.some((operation) => isNamed(operation, name)));
    if (unknown !== undefined) throw unknownOperation(where, kind, unknown, names);
  }

  #applies(
    option: string,
    given: readonly string[] | ((operation: Operation) => boolean),
    operation: Operation,
  ): boolean {
    const { where, isNamed } = this.#rules;
    if (typeof given !== "function") return given.some((name) => isNamed(operation, name));
    const answer: unknown = given(operation);
    // a promise would count as true
    if (typeof answer !== "boolean") throw selectionResult(where, option, answer);
    return answer;
  }
}

/** Adds `close` and `Symbol.asyncDispose` to an array of tools. They are not enumerable. */
export function closable<Tool>(tools: Tool[], end: () => unknown = () => undefined): ClosableTools<Tool> {
  let closing: Promise<void> | undefined;
  const value = (): Promise<void> => {
    closing ??= (async () => void (await end()))();
    return closing;
  };
  Object.defineProperty(tools, "close", { value });
  // older browsers do not have it
  const asyncDispose: unknown = Reflect.get(Symbol, "asyncDispose");
  if (typeof asyncDispose === "symbol") Object.defineProperty(tools, asyncDispose, { value });
  return tools as ClosableTools<Tool>;
}
