/** The tags of values that devalue does not support by itself. */
export type Tag = "Class" | "Error" | "Record";

/**
 * A copy of a value that devalue does not support by itself. Its parts are in a list of their own, so that the value has an index
 * before its parts do: this makes cycles possible.
 */
export class Tagged {
  readonly tag: Tag;
  readonly parts: unknown[] = [];

  constructor(tag: Tag) {
    this.tag = tag;
  }
}
