/**
 * How a document has a value that was read from it: as a graph, which is only replaced as a whole, or as a tree, with the ids of
 * its shared objects. Without shared objects, nothing of a tree needs to be known.
 */
export type SavedForm = "graph" | SharedIds;

/** The ids by which a document knows the shared objects of a value. */
export interface SharedIds {
  readonly ids: ReadonlyMap<unknown, number>;
  /** The largest one; also counts objects that nothing refers to any more. */
  readonly last: number;
}

const forms = new WeakMap<object, SavedForm>();

export function noteSavedForm(value: unknown, form: SavedForm): void {
  if (typeof value === "object" && value !== null) forms.set(value, form);
}

export function savedFormOf(value: unknown): SavedForm | undefined {
  return typeof value === "object" && value !== null ? forms.get(value) : undefined;
}
