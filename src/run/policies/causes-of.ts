import { isFields } from "../../is.js";

/** The error and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let current = error; current !== undefined && current !== null && !causes.includes(current); ) {
    causes.push(current);
    current = isFields(current) ? current.cause : undefined;
  }
  return causes;
}
