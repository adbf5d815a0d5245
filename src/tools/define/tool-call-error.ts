import { KumikoError } from "../../errors.js";
import { shorten, shortenText } from "../../schema/shorten.js";
import type { GrpcStatusName } from "../grpc/status-names.js";
import type { McpResult } from "../mcp/mcp-client.js";

const brand = Symbol.for("kumiko/ToolCallError");

/** The answer of an HTTP service whose status is not a success. */
export interface HttpFailure {
  /** The value of a JSON body, or the text of another one. */
  readonly body: unknown;
}

/** How a gRPC call failed. */
export interface GrpcFailure {
  /** The number of the status: 5 for `"NOT_FOUND"`. */
  readonly statusCode: number;
  /** The text that the server sent with the status. */
  readonly statusMessage: string;
  /**
   * The details in `google.rpc.Status`: `{ "@type": "type.googleapis.com/google.rpc.BadRequest", … }`. A detail of an unknown type
   * has its bytes in `value`, as base64.
   */
  readonly statusDetails: readonly unknown[];
  /** The messages that a stream delivered before it failed. */
  readonly received: readonly unknown[];
}

/** The exception that a Thrift service answered with, or the HTTP answer of its server. */
export interface ThriftFailure {
  /** The service and its method: `Shop.place`. */
  readonly method: string;
  /** The name of the exception: one that the method declares, or `TApplicationException`. Absent for an HTTP answer. */
  readonly exception?: string | undefined;
  /** The fields of the exception, in the form of a result: binary fields are base64, and large integers bigints. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** The body of an HTTP answer whose status is not a success. */
  readonly body?: unknown;
}

/** The `status` and the `details` of a {@link ToolCallError}, by its source. */
export interface ToolCallFailures {
  /** The HTTP status: 404, 429 … */
  readonly openapi: { readonly status: number; readonly details: HttpFailure };
  /** The HTTP status of a search service. */
  readonly search: { readonly status: number; readonly details: HttpFailure };
  /** A code that gRPC does not have is `"UNKNOWN"`. */
  readonly grpc: { readonly status: GrpcStatusName; readonly details: GrpcFailure };
  /** The kind of a `TApplicationException` (`"UNKNOWN_METHOD"`, `"INTERNAL_ERROR"` …), or an HTTP status. */
  readonly thrift: { readonly status: string | number | undefined; readonly details: ThriftFailure };
  /** The result as the server sent it. MCP has no statuses. */
  readonly mcp: { readonly status: undefined; readonly details: McpResult };
}

/** The kind of service that refused a call. */
export type ToolCallSource = keyof ToolCallFailures;

/**
 * A service refused the call of a tool: an HTTP status that is not a success, a gRPC status other than OK, an exception of Thrift, or
 * an MCP result with `isError`. It is the cause of the {@link ToolError} of that call. `details` depend on the `source`, which the
 * second argument of `ToolCallError.is` checks.
 *
 * @example
 * try { await tools.invoke(message); }
 * catch (error) {
 *   const refused = findCause(error, ToolCallError);
 *   if (refused?.status === 429 || refused?.status === "UNAVAILABLE") retryLater();
 *   if (ToolCallError.is(refused, "mcp")) console.warn(refused.details.content);
 * }
 */
export class ToolCallError<Source extends ToolCallSource = ToolCallSource> extends KumikoError {
  override readonly name: string = "ToolCallError";
  readonly [brand] = true;
  readonly source: Source;
  readonly status: ToolCallFailures[Source]["status"];
  readonly details: ToolCallFailures[Source]["details"];

  constructor(message: string, { source, status, details }: { readonly source: Source } & ToolCallFailures[Source]) {
    super("TOOL_FAILED", message);
    this.source = source;
    this.status = status;
    this.details = details;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. With a `source`, only for errors of that one. */
  static override is<Source extends ToolCallSource>(value: unknown, source?: Source): value is ToolCallError<Source> {
    if (typeof value !== "object" || value === null || !(brand in value)) return false;
    return source === undefined || Reflect.get(value, "source") === source;
  }
}

/** An HTTP answer whose status is not a success, as a message and an excerpt of its body. */
export function refusalText(request: string, status: number, statusText: string, body: unknown): string {
  const reason = statusText === "" ? String(status) : `${status} ${statusText}`;
  const text = typeof body === "string" ? body : shorten(body, { length: 2_000 });
  const excerpt = text === "" ? "." : `: ${shortenText(text, { length: 2_000 })}`;
  return `${request} was answered with ${reason}${excerpt}`;
}
