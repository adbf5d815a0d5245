import { InterruptError } from "../checkpoint/pause/interrupt.js";
import { KumikoError } from "../errors.js";
import { nodeFailed } from "./errors.js";

/**
 * Locates an error at a node: errors of the library keep their code and get the path, everything else is wrapped once. An error
 * that was located in this run (`root`) already has its whole path.
 */
export function locate(thrown: unknown, path: readonly string[], root: object): unknown {
  if (InterruptError.is(thrown)) return thrown;
  if (!KumikoError.is(thrown)) return mark(nodeFailed(path, thrown), root);
  const located = origins.get(thrown);
  if (located === root) return thrown;
  if (located !== undefined) return mark(copyAt(thrown, [...path, ...thrown.nodePath]), root);
  if (Object.isFrozen(thrown)) return mark(copyAt(thrown, path), root);
  (thrown as { nodePath: readonly string[] }).nodePath = path;
  return mark(thrown, root);
}

/** Marks an error from a checkpoint, which an earlier process located. */
export function keepLocated(error: unknown, root: object): void {
  if (KumikoError.is(error)) mark(error, root);
}

/** A copy with another path. An error that another run has rejected with is not changed, as others may hold it. */
function copyAt(error: KumikoError, nodePath: readonly string[]): KumikoError {
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error)) as KumikoError;
  const own = Object.getOwnPropertyDescriptors(error);
  return Object.defineProperties(copy, {
    ...own,
    nodePath: { value: nodePath, enumerable: true, configurable: true, writable: true },
  });
}

function mark(error: KumikoError, root: object): KumikoError {
  origins.set(error, root);
  return error;
}

/** A copy of a located error with another message and the index of its input or item. The original stays as it is. */
export function withIndex<Kind extends KumikoError>(error: Kind, message: string, index: number): Kind & AtIndex {
  const copy: Kind = Object.setPrototypeOf(new Error(message), Object.getPrototypeOf(error));
  const { stack, nodePath } = error;
  const field = { enumerable: true, configurable: true, writable: true };
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(error),
    message: { ...field, value: message, enumerable: false },
    stack: { ...field, value: stack?.replace(error.message, () => message), enumerable: false },
    nodePath: { ...field, value: nodePath },
    index: { ...field, value: index },
  }) as Kind & AtIndex;
}

/** Has the index of the failed input or item. */
interface AtIndex {
  readonly index: number;
}

/** The run that located an error: the path of an error from another run is extended, not replaced. */
const origins = new WeakMap<KumikoError, object>();
