import type { CacheSettings } from "../../compose/plan/policy-settings.js";
import type { Task } from "../task.js";
import { canonicalText } from "./canonical-text.js";

/**
 * The cache key for an input: `<graph>/<path>/<SHA-256>`, so that all entries of a node share a prefix. `undefined` if the
 * output is not to be cached.
 */
export async function cacheKey(
  { key, version = "" }: CacheSettings,
  input: unknown,
  task: Task,
): Promise<string | undefined> {
  const own = key === undefined ? undefined : key(input as never, task);
  if (key !== undefined && own === undefined) return undefined;
  const canonical = own === undefined ? canonicalText(input, task.runtime.codecs) : undefined;
  if (own === undefined && canonical === undefined) return undefined;
  const graph = task.owner.cacheName;
  const path = task.nodePath.map(encodeURIComponent).join("/");
  const text = JSON.stringify([graph, path, version, own === undefined ? "input" : "key", own ?? canonical]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${encodeURIComponent(graph)}/${path}/${hash}`;
}
