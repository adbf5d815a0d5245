import { KumikoError } from "../../errors.js";
import { itemFailed } from "../errors.js";
import { locate, withIndex } from "../failure.js";

interface Place {
  readonly path: readonly string[];
  /** The run around all. */
  readonly root: object;
}

/** The error of a node that runs another for each item: of the item that failed, and it says which that is. */
export function itemError(thrown: unknown, index: number, { path, root }: Place): KumikoError {
  const error = KumikoError.is(thrown)
    ? withIndex(thrown, `Item ${index} failed: ${thrown.message}`, index)
    : Object.assign(itemFailed(path, index, thrown), { index });
  locate(error, error.nodePath, root);
  return error;
}

/** What is replaced by a failure stays known as its cause. */
export function causedBy(error: unknown, cause: KumikoError): unknown {
  if (error instanceof Error && error !== cause && error.cause === undefined && Object.isExtensible(error)) {
    Object.defineProperty(error, "cause", { value: cause, configurable: true, writable: true });
  }
  return error;
}
