import { hasMethod } from "../../is.js";
import { keptError, replayedError } from "./kept-error.js";
import { keptValue, replayedValue } from "./kept-value.js";
import { toJson } from "./plain-json.js";
import type { TapeDeck, TapedRequest } from "./tape-deck.js";

type Work = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/** Calls a function, with a tape in between. Signals and contexts among its arguments are no part of the request. */
export async function callTaped(
  deck: TapeDeck,
  name: string,
  work: Work,
  self: unknown,
  args: unknown[],
): Promise<unknown> {
  const { redact } = deck.text;
  const given = args.map((arg) => (isContext(arg) ? null : (toJson(withoutSignals(arg), redact) ?? null)));
  while (given.length > 0 && given.at(-1) === null) given.pop();
  const request: TapedRequest = {
    kind: "call",
    request: { kind: "call", name: redact(name), args: given },
    what: `a call of "${name}" with ${JSON.stringify(given).slice(0, 200)}`,
  };
  const ctx = args.find(isContext);
  const signal = signalIn(args);
  const taken = deck.take(request, ctx);
  if (taken.answer !== undefined) {
    signal?.throwIfAborted();
    if (taken.answer.error !== undefined) throw replayedError(taken.answer.error, taken.path);
    return replayedValue(taken.answer, taken.path);
  }
  let value: unknown;
  try {
    value = await work.apply(self, args);
  } catch (error) {
    const kept = keptError(error, signal);
    if (kept === undefined) taken.drop();
    else taken.keep({ error: kept });
    throw error;
  }
  try {
    taken.keep(keptValue(value, `"${name}" (tape.wrap)`));
  } catch (error) {
    taken.drop();
    throw deck.end(error, ctx);
  }
  return value;
}

/** A context of a node or a tool. */
function isContext(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && "signal" in value && "taskKey" in value && hasMethod(value, "with")
  );
}

function withoutSignals(value: unknown): unknown {
  if (value instanceof AbortSignal) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value) || !("signal" in value)) return value;
  const { signal, ...others } = value as Record<string, unknown>;
  return signal instanceof AbortSignal ? others : value;
}

function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  for (const arg of args) {
    if (arg instanceof AbortSignal) return arg;
    const signal: unknown = typeof arg === "object" && arg !== null ? Reflect.get(arg, "signal") : undefined;
    if (signal instanceof AbortSignal) return signal;
  }
  return undefined;
}
