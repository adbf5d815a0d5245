import type { AgenticModel } from "../../components/model.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";

/** How one thing is extracted. */
export interface ExtractorOptions {
  /** What the model is asked, in place of the usual text. The chunk follows it. */
  readonly prompt?: string | undefined;
  /** How many keywords or questions. @default 5 */
  readonly count?: number | undefined;
  /** The name under which metadata has it. @default what it is: "title", "summary", "keywords", "questions" */
  readonly key?: string | undefined;
}

/** What a model finds out about each chunk, for its metadata. One call for each kind and chunk. */
export interface ExtractOptions {
  /** Who reads the chunks. */
  readonly model?: AgenticModel | undefined;
  /** A title, as text. */
  readonly title?: boolean | ExtractorOptions | undefined;
  /** A summary, as text. */
  readonly summary?: boolean | ExtractorOptions | undefined;
  /** Keywords, as a list. */
  readonly keywords?: boolean | ExtractorOptions | undefined;
  /** Questions that the chunk answers, as a list. */
  readonly questions?: boolean | ExtractorOptions | undefined;
  /** Fields of your own: the model answers with JSON that fits, and its fields become metadata. */
  readonly schema?: AnyStandardSchema | JsonSchema | undefined;
  /** What a failed call does: fail all, or leave that one out. @default "throw" */
  readonly onError?: "throw" | "skip" | undefined;
  /** How many calls may run at a time. @default 4 */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
