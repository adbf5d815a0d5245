const brand = Symbol.for("kumiko/KumikoError");

/** Stable names for everything this library throws. Only ever added to. */
export type ErrorCode =
  // building and compiling
  | "DUPLICATE_NODE"
  | "DUPLICATE_EDGE"
  | "UNKNOWN_NODE"
  | "RESERVED_KEY"
  | "INVALID_KEY"
  | "INVALID_NODE"
  | "INVALID_EDGE"
  | "INVALID_BRANCH"
  | "INVALID_OPTION"
  | "INVALID_CHAIN"
  | "EMPTY_GRAPH"
  | "NO_START"
  | "UNREACHABLE_END"
  | "UNFED_NODE"
  | "CYCLE"
  | "UNEVEN_JOIN"
  | "INVALID_MAPPING"
  | "STATE_REQUIRED"
  // running
  | "NODE_FAILED"
  | "NODE_TIMED_OUT"
  | "MAX_STEPS_EXCEEDED"
  | "NO_NEXT_NODE"
  | "UNKNOWN_BRANCH_TARGET"
  | "MISSING_INPUT_KEY"
  | "CANNOT_MERGE"
  | "MAPPING_FAILED"
  | "TYPE_MISMATCH"
  | "UNKNOWN_PATH"
  | "STATE_NOT_FOUND"
  | "STATE_LOCKED"
  | "VALIDATION"
  // streams and messages
  | "CANNOT_CONCAT"
  | "EMPTY_STREAM"
  | "STREAM_CONSUMED"
  | "STREAM_CANCELLED"
  | "COPY_OVERFLOW"
  | "WRITER_CLOSED"
  | "INVALID_MESSAGE"
  // schemas
  | "SCHEMA_UNSUPPORTED"
  | "SCHEMA_INVALID"
  // tools
  | "TOOL_FAILED"
  | "DUPLICATE_TOOL"
  | "INVALID_TOOL"
  | "INVALID_ALIAS"
  | "NO_TOOL_CALL"
  // models
  | "INVALID_MODEL"
  | "MODEL_FAILED"
  | "MODELS_EXHAUSTED"
  | "STREAM_CUT"
  | "INVALID_OUTPUT"
  // agents
  | "NO_OUTPUT"
  | "STREAM_RESTARTED"
  | "UNKNOWN_TOOL"
  | "NO_USER"
  | "THREAD_BUSY"
  | "THREAD_OF_OTHER_USER"
  | "THREAD_WAITING"
  // templates
  | "INVALID_TEMPLATE"
  | "MISSING_VARIABLE"
  // requests of clients
  | "INVALID_REQUEST"
  // traces
  | "INVALID_TRACE"
  // interrupts and checkpoints
  | "INTERRUPTED"
  | "UNKNOWN_INTERRUPT"
  | "AMBIGUOUS_INTERRUPT"
  | "ANSWER_MISMATCH"
  | "ALREADY_ANSWERED"
  | "UNKNOWN_CHECKPOINT"
  | "CHECKPOINT_PENDING"
  | "CHECKPOINT_IN_USE"
  | "CHECKPOINT_LOST"
  | "CHECKPOINT_CONFLICT"
  | "CHECKPOINT_UNREADABLE"
  | "CHECKPOINT_FINISHED"
  | "NO_HISTORY"
  | "UNKNOWN_ENTRY"
  | "UNKNOWN_MESSAGE"
  | "NOT_EDITABLE"
  | "GRAPH_CHANGED"
  | "NOT_SERIALIZABLE"
  | "UNKNOWN_CLASS"
  | "NO_STORE"
  | "STORE_FAILED"
  | "DUPLICATE_KEY"
  | "ASKED_TOO_LATE"
  | "QUESTION_EXPIRED"
  | "RUN_ABANDONED"
  | "DUPLICATE_CHILD"
  // documents and retrieval
  | "INVALID_DOCUMENT"
  | "NO_MODEL"
  | "EXTRACTION_FAILED"
  | "EMBEDDING_FAILED"
  | "LOAD_FAILED"
  | "PACKAGE_MISSING"
  | "INVALID_FILTER"
  | "INVALID_VECTOR"
  | "UNKNOWN_INDEX"
  | "UNKNOWN_VECTOR"
  | "RETRIEVAL_FAILED"
  // tapes
  | "TAPE_MISS"
  | "INVALID_TAPE"
  // MCP
  | "MCP_CONNECT_FAILED"
  | "MCP_DISCONNECTED"
  | "MCP_PROTOCOL";

/** Options of the constructor of {@link KumikoError}. */
export interface KumikoErrorOptions extends ErrorOptions {
  /** Keys of the nodes on the way to the place that failed, outermost first. */
  readonly nodePath?: readonly string[] | undefined;
}

/**
 * What this library throws: a stable `code`, the `nodePath` where it happened, and the `cause`.
 *
 * @example
 * try {
 *   await app.invoke(input);
 * } catch (error) {
 *   if (KumikoError.is(error) && error.code === "MAX_STEPS_EXCEEDED") console.warn("The agent did not finish.");
 *   else throw error;
 * }
 */
export class KumikoError extends Error {
  override readonly name: string = "KumikoError";
  readonly [brand] = true;
  readonly code: ErrorCode;
  /** Keys of the nodes on the way to the place that failed, outermost first; empty outside a graph. */
  readonly nodePath: readonly string[];
  /** Which input of a `batch` failed, counted from 0; absent outside of one. */
  declare readonly index?: number | undefined;

  constructor(code: ErrorCode, message: string, { nodePath = [], ...options }: KumikoErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.nodePath = nodePath;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static is(value: unknown): value is KumikoError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/**
 * Finds the first error of a class in an error and its causes, the error itself included.
 *
 * @example
 * class RateLimited extends Error {}
 * try { await app.invoke(input); }
 * catch (error) { if (findCause(error, RateLimited)) retryLater(); }
 */
export function findCause<E>(error: unknown, type: abstract new (...args: never[]) => E): E | undefined {
  const seen = new Set<unknown>();
  for (let current = error; current !== undefined && !seen.has(current); ) {
    if (current instanceof type) return current;
    seen.add(current);
    current = current instanceof Error ? current.cause : undefined;
  }
  return undefined;
}

/**
 * Whether an error, or one of its causes, is the miss of a tape, or a tape that cannot be read. It ends the run as an abort does:
 * nothing else may answer it.
 */
export function endsRun(error: unknown, depth = 20): boolean {
  if (!(error instanceof Error) || depth === 0) return false;
  const { code } = error as { readonly code?: unknown };
  return code === "TAPE_MISS" || code === "INVALID_TAPE" || endsRun(error.cause, depth - 1);
}

/** The text of anything that can be thrown. */
export function messageOf(thrown: unknown): string {
  return textOf(thrown, (value) => (value instanceof Error ? String(value.message) : JSON.stringify(value)));
}

/** Getters, `toJSON` and `toString` of what was thrown may throw themselves. */
function textOf(thrown: unknown, describe: (value: unknown) => string | undefined): string {
  if (typeof thrown === "string") return thrown;
  try {
    return describe(thrown) ?? String(thrown);
  } catch {
    return describe === String ? "something that cannot be shown" : textOf(thrown, String);
  }
}
