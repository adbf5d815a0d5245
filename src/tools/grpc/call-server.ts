import { grpcRefusal, toolsClosed } from "./errors.js";
import type { CallOptions, Connection, Metadata, ServiceError } from "./grpc-js.js";
import type { StatusDetails } from "./status-details.js";

/** One call: what is sent, and what ends it. */
export interface GrpcCall {
  readonly connection: Connection;
  /** `/acme.v1.Pets/GetPet`. */
  readonly path: string;
  readonly request: Uint8Array;
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
  /** Sent to the server, in milliseconds from now. */
  readonly timeoutMs: number | undefined;
  readonly details: StatusDetails;
}

/** Where a stream of answers goes. Exactly one of `onEnd` and `onFailure` is called, and nothing after it. */
export interface AnswerSink {
  onMessage(bytes: Uint8Array): void;
  onEnd(): void;
  onFailure(error: unknown): void;
}

/** The bytes of the answer. */
export function callUnary(call: GrpcCall): Promise<Uint8Array> {
  const { connection, path, request, metadata, signal } = call;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const running = opened(path, () =>
      connection.makeUnaryRequest(path, toBuffer, same, request, metadata, callOptions(call), (error, bytes) => {
        signal.removeEventListener("abort", onAbort);
        if (error === null && bytes !== undefined) resolve(bytes);
        else reject(signal.aborted ? signal.reason : statusError(call, error, []));
      }),
    );
    const onAbort = (): void => {
      running.cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Sends the request and passes the answers on as they come. They are never held back: a package that waits for its reader
 * drops what it has when the server reports an error. Gives what cancels the call.
 */
export function callStreaming(call: GrpcCall, sink: AnswerSink): () => void {
  const { connection, path, request, metadata, signal } = call;
  signal.throwIfAborted();
  const running = opened(path, () =>
    connection.makeServerStreamRequest(path, toBuffer, same, request, metadata, callOptions(call)),
  );
  let isOver = false;
  const end = (tell: () => void): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", onAbort);
    tell();
  };
  const onAbort = (): void => {
    running.cancel();
    end(() => sink.onFailure(signal.reason));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  running.on("data", (bytes: Uint8Array) => {
    if (!isOver) sink.onMessage(bytes);
  });
  running.on("error", (error: ServiceError) => end(() => sink.onFailure(error)));
  // the stream of messages ends before the status is there: only the status says how
  running.on("status", ({ code }: { readonly code: number }) => {
    if (code === 0) end(() => sink.onEnd());
  });
  return () => {
    running.cancel();
    end(() => {});
  };
}

/** The error of a call, with what the server says in its trailers. */
export function statusError(call: GrpcCall, error: unknown, received: readonly unknown[]): unknown {
  if (!isServiceError(error)) return error;
  const { code, details, metadata } = error;
  const statusDetails = call.details.read(metadata);
  return grpcRefusal(call.path, { statusCode: code, statusMessage: details, statusDetails, received });
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}

/** A client that was closed throws. */
function opened<Running>(path: string, open: () => Running): Running {
  try {
    return open();
  } catch (cause) {
    throw cause instanceof Error && /closed|shut ?down/i.test(cause.message) ? toolsClosed(path) : cause;
  }
}

function callOptions({ timeoutMs }: GrpcCall): CallOptions {
  if (timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY) return {};
  return { deadline: Date.now() + timeoutMs + deadlineSlack };
}

/** The limit of the tool ends a call, and says so; the deadline is for the server, and must not come before it. */
const deadlineSlack = 50;

/** Without a copy. */
const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const same = (bytes: Uint8Array): Uint8Array => bytes;
