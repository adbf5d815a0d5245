import { messageOf } from "../../errors.js";
import { causesOf } from "./causes-of.js";

/** The error of a `fallback`, with the failure that it should have replaced as its innermost cause. */
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
