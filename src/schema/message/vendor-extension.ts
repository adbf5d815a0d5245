/** Reasoning as OpenAI sends it: several summaries or texts. In chunks, parts with the same index are one text. */
export interface OpenAIReasoningExtension {
  readonly content?: readonly OpenAIReasoningContent[] | undefined;
}

/** One text of OpenAI's reasoning. */
export interface OpenAIReasoningContent {
  /** Only in chunks. Concatenation removes it. */
  readonly index?: number | undefined;
  readonly text: string;
}

/** OpenAI's data about a text. */
export interface OpenAITextExtension {
  readonly refusal?: OpenAIRefusal | undefined;
  readonly annotations?: readonly OpenAITextAnnotation[] | undefined;
}

/** The refusal of an OpenAI model to answer. */
export interface OpenAIRefusal {
  readonly reason: string;
}

/** A source of a text. The field named after the annotation's type holds the details. */
export interface OpenAITextAnnotation {
  /** Only in chunks: its position among the annotations. Concatenation removes it. */
  readonly index?: number | undefined;
  readonly type: "file_citation" | "url_citation" | "container_file_citation" | "file_path" | (string & {});
  readonly fileCitation?: Readonly<Record<string, unknown>> | undefined;
  readonly urlCitation?: Readonly<Record<string, unknown>> | undefined;
  readonly containerFileCitation?: Readonly<Record<string, unknown>> | undefined;
  readonly filePath?: Readonly<Record<string, unknown>> | undefined;
}

/** Claude's data about a text. */
export interface ClaudeTextExtension {
  readonly citations?: readonly ClaudeTextCitation[] | undefined;
}

/** A source of a text. The field named after the citation's type holds the details. */
export interface ClaudeTextCitation {
  readonly type:
    | "char_location"
    | "page_location"
    | "content_block_location"
    | "web_search_result_location"
    | (string & {});
  readonly charLocation?: Readonly<Record<string, unknown>> | undefined;
  readonly pageLocation?: Readonly<Record<string, unknown>> | undefined;
  readonly contentBlockLocation?: Readonly<Record<string, unknown>> | undefined;
  readonly webSearchResultLocation?: Readonly<Record<string, unknown>> | undefined;
}

/** OpenAI's data about a whole response. */
export interface OpenAIResponseExtension {
  readonly id?: string | undefined;
  readonly status?: string | undefined;
  readonly error?: { readonly code?: string | undefined; readonly message?: string | undefined } | undefined;
  readonly incompleteDetails?: { readonly reason?: string | undefined } | undefined;
  readonly previousResponseId?: string | undefined;
  readonly reasoning?: { readonly effort?: string | undefined; readonly summary?: string | undefined } | undefined;
  readonly serviceTier?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly promptCacheRetention?: string | undefined;
}

/** Claude's data about a whole response. */
export interface ClaudeResponseExtension {
  readonly id?: string | undefined;
  readonly stopReason?: string | undefined;
  readonly stopSequence?: string | undefined;
  readonly stopDetails?: Readonly<Record<string, unknown>> | undefined;
}

/** Gemini's data about a whole response. */
export interface GeminiResponseExtension {
  readonly id?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly groundingMeta?: Readonly<Record<string, unknown>> | undefined;
}
