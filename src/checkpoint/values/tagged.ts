/** What devalue does not know by itself, and how a graph calls it. */
export type Tag = "Class" | "Error" | "Record";

/**
 * A copy of something that devalue does not know. The parts stand in a list of their own, so that the place of the whole is
 * known before its parts are: cycles may run through it.
 */
export class Tagged {
  readonly tag: Tag;
  readonly parts: unknown[] = [];

  constructor(tag: Tag) {
    this.tag = tag;
  }
}
