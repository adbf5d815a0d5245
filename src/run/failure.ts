import { InterruptError } from "../checkpoint/pause/interrupt.js";
import { KumikoError } from "../errors.js";
import { nodeFailed } from "./errors.js";

/**
 * Locates what a node threw: errors of the library keep their code and get the path, everything else is wrapped
 * once. What comes from a run inside this one already has its whole path.
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

/** Marks an error as located: an earlier process has done it. */
export function keepLocated(error: unknown, root: object): void {
  if (KumikoError.is(error)) mark(error, root);
}

/** An error that another run has given to its caller stays as it was: several may wait for that run. */
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

/**
 * The same located error for a caller who must know which of several it belongs to: with another message, and an `index`. The
 * run and its handlers keep their own.
 */
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

/** Says which input, or which item, it belongs to. */
interface AtIndex {
  readonly index: number;
}

/** Which run located an error: the path of an error from another run is continued, not replaced. */
const origins = new WeakMap<KumikoError, object>();
