/** The names of the status codes of gRPC, by their numbers. @internal */
export const statusNames = [
  ...(["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"] as const),
  ...(["PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE"] as const),
  ...(["UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"] as const),
] as const;

/** How a gRPC call ended: `"NOT_FOUND"`, `"UNAVAILABLE"` … */
export type GrpcStatusName = (typeof statusNames)[number];
