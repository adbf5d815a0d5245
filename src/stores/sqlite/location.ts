import { resolve } from "node:path";
import { invalidPath } from "./errors.js";

/** Makes a path absolute, because the file is opened later, and so that no driver takes it for a URL. */
export function locationOf(store: string, path: string): string {
  if (typeof path !== "string" || path === "") throw invalidPath(store, path);
  return path === ":memory:" || path.startsWith("file:") ? path : resolve(path);
}
