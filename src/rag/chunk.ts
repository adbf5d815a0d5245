/** A piece of a document. */
export interface Chunk {
  /** `<document id>:<start>-<end>`, the same whenever the same document is split the same way. */
  readonly id: string;
  readonly text: string;
  /** What is known about the document, where the piece stands in it (`start`, `end`), and what the strategy found. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Set by `embed`. */
  readonly embedding?: readonly number[];
}
