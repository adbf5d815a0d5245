import { KumikoError } from "../../errors.js";
import { nodeFailed } from "./errors.js";

/**
 * Gives what a node threw its place: errors of the library keep their code and get the path, everything else is wrapped
 * once. What comes from a run inside this one already has its whole path.
 */
export function locate(thrown: unknown, path: readonly string[], root: object): unknown {
  if (!KumikoError.is(thrown)) return mark(nodeFailed(path, thrown), root);
  const located = origins.get(thrown);
  if (located === root) return thrown;
  const inside = located === undefined ? [] : thrown.nodePath;
  (thrown as { nodePath: readonly string[] }).nodePath = [...path, ...inside];
  return mark(thrown, root);
}

function mark(error: KumikoError, root: object): KumikoError {
  origins.set(error, root);
  return error;
}

/** Which run located an error: the path of an error from another run is continued, not replaced. */
const origins = new WeakMap<KumikoError, object>();
