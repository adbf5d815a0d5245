import type { AgenticModel } from "../../components/model.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";

/** Options of one kind of extraction. */
export interface ExtractorOptions {
  /** Replaces the default prompt. The text of the chunk is appended. */
  readonly prompt?: string | undefined;
  /** How many keywords or questions. @default 5 */
  readonly count?: number | undefined;
  /** The metadata key. @default the kind: "title", "summary", "keywords" or "questions" */
  readonly key?: string | undefined;
}

/** The metadata that a model extracts from each chunk, with one call per kind and chunk. */
export interface ExtractOptions {
  /** The model that reads the chunks. */
  readonly model?: AgenticModel | undefined;
  /** A title, as text. */
  readonly title?: boolean | ExtractorOptions | undefined;
  /** A summary, as text. */
  readonly summary?: boolean | ExtractorOptions | undefined;
  /** Keywords, as a list. */
  readonly keywords?: boolean | ExtractorOptions | undefined;
  /** Questions that the chunk answers, as a list. */
  readonly questions?: boolean | ExtractorOptions | undefined;
  /** A schema for other fields: the model answers with matching JSON, whose fields become metadata. */
  readonly schema?: AnyStandardSchema | JsonSchema | undefined;
  /** Whether a failed call fails the extraction or is skipped. @default "throw" */
  readonly onError?: "throw" | "skip" | undefined;
  /** The maximum number of concurrent calls. @default 4 */
  readonly concurrency?: number | undefined;
  /** Stops the extraction. */
  readonly signal?: AbortSignal | undefined;
}
