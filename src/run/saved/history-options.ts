import { checkOptions, type OptionCheck, type OptionSpec } from "../../check-options.js";
import { isFields } from "../../is.js";

const count: OptionCheck = [
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  "a whole number of at least 0",
];
const time: OptionCheck = [(value) => typeof value === "number" && value >= 0, "a time in milliseconds"];

const checks = {
  // ids of entries and of checkpoints are checked where they are looked up
  history: { limit: count, before: true },
  fork: {
    entry: true,
    to: true,
    editState: [(value) => typeof value === "function", "a function (state, path) => state"],
    outputs: [isFields, "a record of outputs by path"],
  },
  prune: { last: count, maxAgeMs: time },
  forget: { takeover: [(value) => typeof value === "boolean", "true or false"] },
} satisfies Record<string, OptionSpec>;

/** Throws for unknown options of a history method, and for values that are not valid. */
export function checkHistoryOptions(method: keyof typeof checks, options: unknown): void {
  if (options !== undefined) checkOptions(method, options, checks[method]);
}
