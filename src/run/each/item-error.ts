import { KumikoError } from "../../errors.js";
import { itemFailed } from "../errors.js";
import { locate, withIndex } from "../failure.js";

interface Location {
  readonly path: readonly string[];
  /** The environment of the outermost run. */
  readonly root: object;
}

/** The error of a node made by `each`: that of the failed item, with its index. */
export function itemError(thrown: unknown, index: number, { path, root }: Location): KumikoError {
  const error = KumikoError.is(thrown)
    ? withIndex(thrown, `Item ${index} failed: ${thrown.message}`, index)
    : Object.assign(itemFailed(path, index, thrown), { index });
  locate(error, error.nodePath, root);
  return error;
}

/** Adds the replaced error as the cause of an error, if that has none. */
export function causedBy(error: unknown, cause: KumikoError): unknown {
  if (error instanceof Error && error !== cause && error.cause === undefined && Object.isExtensible(error)) {
    Object.defineProperty(error, "cause", { value: cause, configurable: true, writable: true });
  }
  return error;
}
