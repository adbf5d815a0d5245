import { invalidKey, reservedKey } from "../errors.js";
import { END, START } from "./plan.js";

const longest = 256;

/** Throws for an invalid node key. Keys are parts of paths and addresses. */
export function checkNodeKey(key: unknown): asserts key is string {
  if (typeof key !== "string") throw invalidKey("The node key", key, "a key must be a string");
  if (key === START || key === END) throw reservedKey(key);
  if (key === "") throw invalidKey("The node key", key, "a key must not be empty");
  if (key.length > longest) throw invalidKey("The node key", key, `a key has at most ${longest} characters`);
  if (key.includes("/")) throw invalidKey("The node key", key, "a slash separates the keys of a path");
  if (key === "__proto__") throw invalidKey("The node key", key, "JavaScript gives this name a meaning of its own");
}

/** Throws for an invalid input or output key, which names a field of a record. */
export function checkFieldKey(what: string, key: unknown): asserts key is string {
  if (typeof key !== "string") throw invalidKey(what, key, "a key must be a string");
  if (key === "") throw invalidKey(what, key, "a key must not be empty");
  if (key === "__proto__") throw invalidKey(what, key, "JavaScript gives this name a meaning of its own");
}
