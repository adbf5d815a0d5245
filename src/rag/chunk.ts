/** A piece of a document. */
export interface Chunk {
  /** `<document id>:<start>-<end>`, stable as long as the document and the options stay the same. */
  readonly id: string;
  /** The text of the piece. */
  readonly text: string;
  /** The document's metadata, the position of the chunk (`start`, `end`), and what the strategy adds. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Set by `embed`. */
  readonly embedding?: readonly number[];
}
