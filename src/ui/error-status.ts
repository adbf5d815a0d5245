/** The codes of errors by the status that they are answered with; all others are 500. */
const statuses: Readonly<Record<number, readonly string[]>> = {
  400: ["INVALID_REQUEST", "INVALID_OPTION", "ANSWER_MISMATCH", "NO_USER"],
  404: ["UNKNOWN_CHECKPOINT", "UNKNOWN_MESSAGE", "UNKNOWN_ENTRY", "THREAD_OF_OTHER_USER"],
  409: [
    ...["THREAD_BUSY", "THREAD_WAITING", "ALREADY_ANSWERED", "UNKNOWN_INTERRUPT", "AMBIGUOUS_INTERRUPT"],
    ...["CHECKPOINT_IN_USE", "CHECKPOINT_PENDING", "CHECKPOINT_CONFLICT", "GRAPH_CHANGED", "UNKNOWN_TOOL"],
    "NOT_EDITABLE",
  ],
};

/** The HTTP status for an error. */
export function statusOf(code: string | undefined): number {
  const found = Object.entries(statuses).find(([, codes]) => code !== undefined && codes.includes(code));
  return found === undefined ? 500 : Number(found[0]);
}
