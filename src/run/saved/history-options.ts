import { isFields } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidRunOption } from "../errors.js";

type Check = readonly [test: (value: unknown) => boolean, wanted: string];

const anything: Check = [() => true, ""];
const count: Check = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, "a whole number of at least 0"];
const time: Check = [(value) => typeof value === "number" && value >= 0, "a time in milliseconds"];

const checks = {
  // ids of entries and of checkpoints are checked where they are looked up
  history: { limit: count, before: anything },
  fork: {
    entry: anything,
    to: anything,
    editState: [(value) => typeof value === "function", "a function (state, path) => state"],
    outputs: [isFields, "a record of outputs by path"],
  },
  prune: { last: count, maxAgeMs: time },
  forget: { takeover: [(value) => typeof value === "boolean", "true or false"] },
} satisfies Record<string, Readonly<Record<string, Check>>>;

/** Throws for unknown options of a history method, and for values that are not valid. */
export function checkHistoryOptions(method: keyof typeof checks, options: unknown): void {
  if (options === undefined) return;
  if (!isFields(options)) throw invalidRunOption(`${method}: its options must be an object (got ${kindOf(options)}).`);
  const known: Readonly<Record<string, Check>> = checks[method];
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (check === undefined) {
      throw invalidRunOption(`${method}: unknown option "${name}". Options: ${Object.keys(known).join(", ")}.`);
    }
    const [test, wanted] = check;
    if (value !== undefined && !test(value)) {
      throw invalidRunOption(`${method}: ${name} must be ${wanted} (got ${describe(value)}).`);
    }
  }
}

function describe(value: unknown): string {
  return typeof value === "number" ? String(value) : kindOf(value);
}
