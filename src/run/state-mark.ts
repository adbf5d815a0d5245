import { isPlainObject } from "../is.js";
import type { StateCell } from "./state-cell.js";

/** How much of a state is looked at. A larger one may change without notice: nothing depends on it but a side event. */
const most = 64;

interface Mark {
  readonly cell: StateCell;
  readonly byHandler: boolean;
  readonly parts: readonly unknown[];
}

/** The states as a task first saw them: enough to tell whether it has changed them, at a cost that does not grow. */
export class StateMarks {
  readonly #marks: Mark[] = [];
  /** That the task repeats its changes has been reported. */
  isReported = false;

  /** `byHandler`: by a state handler around the node, such as `before`. */
  add(cell: StateCell, byHandler: boolean): void {
    for (const mark of this.#marks) if (mark.cell === cell && mark.byHandler === byHandler) return;
    this.#marks.push({ cell, byHandler, parts: partsOf(cell.value) });
  }

  /** Whether the task has changed a state since. Handlers do not run again after a question: then they do not count. */
  hasChanged(hasAsked: boolean): boolean {
    return this.#marks.some(({ cell, byHandler, parts }) => {
      if (byHandler && hasAsked) return false;
      const now = partsOf(cell.value);
      return now.length !== parts.length || now.some((part, n) => !Object.is(part, parts[n]));
    });
  }
}

/** The state and what is in it, three levels deep: identities, sizes, keys, and the first and last items of lists. */
function partsOf(state: unknown): unknown[] {
  const parts: unknown[] = [];
  const add = (value: unknown, depth: number): void => {
    parts.push(value);
    if (depth === 3 || parts.length > most || typeof value !== "object" || value === null) return;
    if (value instanceof Map || value instanceof Set) parts.push(value.size);
    else if (Array.isArray(value)) {
      parts.push(value.length);
      for (const item of value.length < 3 ? value : [value[0], value.at(-1)]) add(item, depth + 1);
    } else if (isPlainObject(value)) {
      const entries = Object.entries(value);
      parts.push(entries.length);
      for (const [key, inner] of entries.slice(0, most)) {
        parts.push(key);
        add(inner, depth + 1);
      }
    }
  };
  add(state, 0);
  return parts;
}
