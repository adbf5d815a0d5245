import { messageOf } from "../../errors.js";
import { causesOf } from "./causes-of.js";

/** What a `fallback` has thrown, with what it was to stand in for as its innermost cause. */
export function withCause(thrown: unknown, ...[failed, located]: readonly [unknown, unknown]): unknown {
  const causes = causesOf(thrown);
  if (causes.includes(failed) || causes.includes(located)) return thrown;
  const last = causes.at(-1);
  if (last instanceof Error && Object.isExtensible(last) && last.cause === undefined) {
    Object.defineProperty(last, "cause", { value: failed, configurable: true, writable: true });
    return thrown;
  }
  return new Error(messageOf(thrown), { cause: failed });
}
